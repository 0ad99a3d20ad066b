import { syncParticipants } from '../../activities/maintenance/sync-directory';
import { NOTHING_REPAIRED } from '../../activities/maintenance/maintenance-activities';
import { ensureSchedules, type MaintenanceSchedule } from '../../activities/maintenance/schedules';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { Directory } from '../../people/directory';
import { CLERKS, group, user } from '../builders/people';
import { rowOf } from '../harness/acting';
import { uniqueTaskQueue } from '../harness/temporal-environment';
import { within } from '../harness/within';
import { createMaintenanceStack, type MaintenanceStack } from './maintenance-stack';

describe('the directory in the database', () => {
  let maintenance: MaintenanceStack;
  let people: ParticipantReference[] = [];
  let fails = false;
  const directory: Directory = {
    isReal: true,
    members: () => Promise.resolve(null),
    participants: async function* (tenantId) {
      await Promise.resolve();
      yield* people.filter((person) => person.tenantId === tenantId);
      if (fails) throw new Error('the directory is down');
    },
  };
  beforeAll(async () => {
    maintenance = await createMaintenanceStack({ directory });
  }, 120_000);
  afterAll(() => maintenance.close());

  const stored = async () => {
    const rows = await maintenance.stack.database.directoryParticipant.findMany({
      orderBy: { participantId: 'asc' },
    });
    return rows.map(({ tenantId, type, participantId, displayName }) => [
      tenantId,
      type,
      participantId,
      displayName,
    ]);
  };

  it('brings people and groups, changed names, and takes the vanished away (UT-241)', async () => {
    const { database } = maintenance.stack;
    people = [user('ann'), user('bob'), group('clerks'), user('eve', { tenantId: 'globex' })];
    expect(await syncParticipants(database, directory, 'acme')).toBe(3);
    expect(await stored()).toEqual([
      ['acme', 'user', 'ann', 'ann'],
      ['acme', 'user', 'bob', 'bob'],
      ['acme', 'group', 'clerks', 'clerks'],
    ]);
    people = [user('ann', { displayName: 'Ann Other' }), group('clerks')];
    await syncParticipants(database, directory, 'acme');
    expect(await stored()).toEqual([
      ['acme', 'user', 'ann', 'Ann Other'],
      ['acme', 'group', 'clerks', 'clerks'],
    ]);
  });

  it('takes nobody away when the directory fails half-way (UT-061, UT-241)', async () => {
    fails = true;
    people = [group('clerks')];
    const before = await stored();
    await expect(syncParticipants(maintenance.stack.database, directory, 'acme')).rejects.toThrow(
      'down',
    );
    expect(await stored()).toEqual(before);
    fails = false;
  });

  it('marks open tasks that show somebody unknown, until the directory knows them (UT-061, UT-165, UT-406)', async () => {
    const { stack } = maintenance;
    people = [user('ann'), group('clerks')];
    const known = await stack.raise({ title: 'known', assignee: user('ann') });
    const unknown = await stack.raise({
      title: 'unknown',
      candidateGroups: [CLERKS],
      requester: user('zoe'),
    });
    const elsewhere = await stack.raise({
      title: 'elsewhere',
      assignee: user('guest', { provider: 'other' }),
    });
    await maintenance.syncDirectory();
    expect((await rowOf(stack, known)).health).toEqual([]);
    expect((await rowOf(stack, elsewhere)).health).toEqual([]);
    expect(await rowOf(stack, unknown)).toMatchObject({
      revision: 1,
      status: 'Available',
      health: [{ code: 'participant-display-unknown', severity: 'Advisory', origin: 'outside' }],
    });
    people.push(user('zoe'));
    await maintenance.syncDirectory();
    expect(await rowOf(stack, unknown)).toMatchObject({ revision: 1, health: [] });
    for (const { owner } of [known, unknown, elsewhere]) await owner.cancel();
  });

  describe('schedules', () => {
    const scheduled = (taskQueue: string): MaintenanceSchedule => ({
      taskQueue,
      tenantIds: [],
      reconcileEveryMs: 15 * 60_000,
      retentionDays: null,
      notificationDays: 7,
      directoryEveryMs: 3_600_000,
    });

    it('are made by every worker that starts, once, and follow its settings (UT-278)', async () => {
      const { client } = maintenance.stack;
      const taskQueue = uniqueTaskQueue('scheduled');
      const plan = scheduled(taskQueue);
      await Promise.all([ensureSchedules(client, plan), ensureSchedules(client, plan)]);
      const reconcile = client.schedule.getHandle(`${taskQueue}-reconcile`);
      expect(await reconcile.describe()).toMatchObject({
        spec: { intervals: [{ every: 900_000 }] },
        policies: { overlap: 'SKIP' },
        action: {
          workflowType: 'reconcileUserTasks',
          taskQueue,
          args: [{ tenantIds: [], pageSize: 100, untouchedForMs: 300_000 }],
        },
      });
      await reconcile.pause('by an operator');
      await ensureSchedules(client, {
        ...plan,
        reconcileEveryMs: 60_000,
        retentionDays: 365,
        directoryEveryMs: null,
      });
      expect(await reconcile.describe()).toMatchObject({
        spec: { intervals: [{ every: 60_000 }] },
        state: { paused: true },
      });
      const purge = client.schedule.getHandle(`${taskQueue}-purge`);
      expect((await purge.describe()).action).toMatchObject({ args: [{ retentionDays: 365 }] });
      await expect(
        client.schedule.getHandle(`${taskQueue}-directory`).describe(),
      ).rejects.toThrow();
      for (const handle of [reconcile, purge]) await handle.delete();
    });

    it('run repair on the worker of the user tasks (UT-278, UT-279)', async () => {
      const { client } = maintenance.stack;
      await ensureSchedules(client, scheduled(maintenance.taskQueue));
      const schedule = client.schedule.getHandle(`${maintenance.taskQueue}-reconcile`);
      await schedule.trigger();
      const started = await within(
        20_000,
        async () => (await schedule.describe()).info.recentActions[0],
      );
      const { workflowId } = started.action.workflow;
      expect(await client.workflow.getHandle(workflowId).result()).toEqual(NOTHING_REPAIRED);
      for (const name of ['reconcile', 'purge', 'directory'])
        await client.schedule.getHandle(`${maintenance.taskQueue}-${name}`).delete();
    });
  });
});
