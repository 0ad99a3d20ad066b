import type { Instant } from '../../domain/instant';
import type { TaskId } from '../../domain/ids';
import type { Person } from '../../domain/user-tasks/actor';
import {
  clerk,
  CLERKS,
  colleague,
  group,
  manager,
  MANAGER_GRANTS,
  outsider,
  person,
  user,
  WORKER_GRANTS,
} from '../builders/people';
import { listReader } from './list-reader';
import { aDistinctTask, clear, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(() => clear(api.database));
afterAll(() => api.close());

const { given, list, titles } = listReader(() => api);

const daysFromNow = (days: number): Instant =>
  new Date(Date.now() + days * 86_400_000).toISOString() as Instant;

describe('scopes', () => {
  it('offers a task to its candidates until somebody claims it, then to the assignee (UT-215, UT-304, UT-325)', async () => {
    await seed(api.database, aDistinctTask({ title: 'open' }));
    await seed(api.database, aDistinctTask({ title: 'held' }).claimedBy(clerk));
    expect(await titles('scope=available', clerk)).toEqual(['open']);
    expect(await titles('scope=available', outsider)).toEqual([]);
    expect(await titles('scope=assigned', clerk)).toEqual(['held']);
    expect(await titles('scope=assigned', colleague)).toEqual([]);
  });

  it('takes assigned for no scope and for an unknown one (UT-215)', async () => {
    await seed(api.database, aDistinctTask({ title: 'held' }).claimedBy(clerk));
    for (const query of ['', 'scope=unknown', 'scope='])
      expect(await titles(query, clerk)).toEqual(['held']);
  });

  it('keeps a task among the assigned while it is being closed, and not afterwards (UT-009, UT-215)', async () => {
    await seed(api.database, aDistinctTask({ title: 'closing' }).claimedBy(clerk).completing());
    await seed(api.database, aDistinctTask({ title: 'closed' }).claimedBy(clerk).completed());
    expect(await titles('', clerk)).toEqual(['closing']);
  });

  it('lists a task once for a caller who may claim it by several groups and by name (UT-056, UT-256)', async () => {
    const both = person('clerk', { groups: [CLERKS, group('payable')] });
    await given({
      a: { candidateGroups: [CLERKS, group('payable')], candidateUsers: [user('clerk')] },
      b: { candidateGroups: [group('payable')] },
    });
    const page = await list('scope=available&includeTotalCount=true', both);
    expect(page.items.map(({ title }) => title).toSorted()).toEqual(['a', 'b']);
    expect(page.totalCount).toBe(2);
  });

  it('keeps group names with separators apart (UT-055, UT-293)', async () => {
    const odd = group('group,with;delimiters');
    await given({ odd: { candidateGroups: [odd] }, part: { candidateGroups: [group('group')] } });
    expect(await titles('scope=available', person('x', { groups: [odd] }))).toEqual(['odd']);
  });

  it('leaves excluded tasks out of pages and totals, so that they take no slot (UT-073, UT-259, UT-320)', async () => {
    for (const index of [1, 2, 3]) {
      await seed(
        api.database,
        aDistinctTask({ title: `hidden ${index}`, excludedUsers: [clerk.subject] }),
      );
      await seed(api.database, aDistinctTask({ title: `shown ${index}` }));
    }
    const page = await list('scope=available&limit=3&includeTotalCount=true', clerk);
    expect(page.items.every(({ title }) => title.startsWith('shown'))).toBe(true);
    expect(page).toMatchObject({ totalCount: 3, nextCursor: null });
    expect(page.items).toHaveLength(3);
  });

  it('shows blocked tasks to managers only, in every scope (UT-164, UT-216)', async () => {
    const ids: TaskId[] = [
      await seed(api.database, aDistinctTask()),
      await seed(api.database, aDistinctTask().claimedBy(clerk)),
      await seed(api.database, aDistinctTask().claimedBy(clerk).completed()),
    ];
    await api.database.userTask.updateMany({ where: { id: { in: ids } }, data: { blocked: true } });
    await api.database.userTaskCandidate.updateMany({
      where: { taskId: { in: ids } },
      data: { claimable: false },
    });
    for (const scope of ['available', 'assigned', 'history'])
      expect(await titles(`scope=${scope}`, clerk)).toEqual([]);
    expect(await titles('scope=all', manager)).toHaveLength(3);
  });

  it('lists what a person has completed, held or acted on, once it is closed (UT-215)', async () => {
    await seed(api.database, aDistinctTask({ title: 'completed' }).claimedBy(clerk).completed());
    await seed(
      api.database,
      aDistinctTask({ title: 'handed over' })
        .assignedTo(colleague.subject)
        .assignedTo(clerk.subject)
        .completed(),
    );
    await seed(
      api.database,
      aDistinctTask({ title: 'open' }).claimedBy(colleague).releasedBy(colleague),
    );
    expect([...(await titles('scope=history', clerk))].sort()).toEqual([
      'completed',
      'handed over',
    ]);
    expect(await titles('scope=history', colleague)).toEqual(['handed over']);
    expect(await titles('scope=history', manager)).toEqual(['handed over']);
    expect(await titles('scope=history', outsider)).toEqual([]);
  });

  it('refuses the scopes of managers to everybody else instead of emptying them (UT-213, UT-214, UT-295, UT-303)', async () => {
    const deputy = person('deputy', {
      grants: MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise'),
    });
    for (const scope of ['all', 'needs-attention', 'needsAttention']) {
      for (const by of [clerk, deputy]) {
        expect(await api.get(`/user-tasks?scope=${scope}`, by)).toMatchObject({
          status: 403,
          body: { code: 'permission-denied' },
        });
      }
      expect((await api.get(`/user-tasks?scope=${scope}`, manager)).status).toBe(200);
    }
  });

  it('lists for managers what needs attention (UT-215, UT-371)', async () => {
    await given({
      'no route': { candidateGroups: [] },
      waiting: {},
      overdue: { assignee: clerk.subject, dueAt: daysFromNow(-1) },
      fine: { assignee: clerk.subject, dueAt: daysFromNow(1) },
    });
    await seed(
      api.database,
      aDistinctTask({ title: 'closed', dueAt: daysFromNow(-1) })
        .claimedBy(clerk)
        .completed(),
    );
    await seed(api.database, aDistinctTask({ title: 'stuck' }).claimedBy(clerk).completing());
    const fresh = await seed(
      api.database,
      aDistinctTask({ title: 'fresh' }).claimedBy(clerk).completing(),
    );
    await api.database.userTask.updateMany({
      where: { id: fresh },
      data: { updatedAt: new Date() },
    });
    expect([...(await titles('scope=needs-attention', manager))].sort()).toEqual([
      'no route',
      'overdue',
      'stuck',
      'waiting',
    ]);
  });

  it.each(['user-tasks:view', 'user-tasks:*', 'user-tasks/*:view', '*:view', '*'])(
    'opens to the grant %s (UT-208, UT-297)',
    async (grant) => {
      expect((await api.get('/user-tasks', person('x', { grants: [grant] }))).status).toBe(200);
    },
  );

  it.each([
    'user-tasks:complete',
    'workflows/*:view',
    'user-tasks/participants:view',
    'read:user-tasks',
    'not a permission',
    'User-Tasks:view',
  ])('stays closed to the grant %s (UT-057, UT-208, UT-297, UT-300)', async (grant) => {
    expect((await api.get('/user-tasks', person('x', { grants: [grant] }))).status).toBe(403);
  });

  it('opens scope all to those whose grants cover view and supervise (UT-296, UT-298, UT-299)', async () => {
    for (const grants of [
      ['*'],
      ['user-tasks:*'],
      ['user-tasks/*:view', 'user-tasks/*:supervise'],
    ]) {
      expect((await api.get('/user-tasks?scope=all', person('x', { grants }))).status).toBe(200);
    }
    expect(
      (await api.get('/user-tasks?scope=all', person('x', { grants: WORKER_GRANTS }))).status,
    ).toBe(403);
  });

  it('finds nothing in another tenant (UT-206, UT-216, UT-322)', async () => {
    await seed(api.database, aDistinctTask().claimedBy(clerk));
    await seed(api.database, aDistinctTask());
    const abroad = ({ subject, ...rest }: Person): Person => ({
      ...rest,
      subject: { ...subject, tenantId: 'globex' },
    });
    for (const scope of ['assigned', 'available', 'history']) {
      expect(await list(`scope=${scope}&includeTotalCount=true`, abroad(clerk))).toEqual({
        items: [],
        nextCursor: null,
        totalCount: 0,
      });
    }
    expect(await list('scope=all&includeTotalCount=true', abroad(manager))).toEqual({
      items: [],
      nextCursor: null,
      totalCount: 0,
    });
  });
});
