import type { Instant } from '../../domain/instant';
import { clerk, manager, user } from '../builders/people';
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

describe('filters', () => {
  it('filters by status in any case, and not at all when nothing valid remains (UT-250)', async () => {
    await given({ open: {} });
    await seed(api.database, aDistinctTask({ title: 'held' }).claimedBy(clerk));
    expect(await titles('scope=all&status=ASSIGNED&status=assigned&status=bogus', manager)).toEqual(
      ['held'],
    );
    expect(await titles('scope=all&status=bogus', manager)).toHaveLength(2);
    expect(await titles('scope=all&status=Assigned&status=Available', manager)).toHaveLength(2);
  });

  it('filters by inclusive ranges of priority and due date (UT-251)', async () => {
    await given({
      low: { priority: 10, dueAt: '2026-05-01T00:00:00.000Z' as Instant },
      high: { priority: 90, dueAt: '2026-06-01T00:00:00.000Z' as Instant },
    });
    expect(await titles('scope=all&priorityFrom=10&priorityTo=10', manager)).toEqual(['low']);
    expect(await titles('scope=all&priorityFrom=11', manager)).toEqual(['high']);
    expect(await titles('scope=all&from=2026-06-01T02:00:00%2B02:00', manager)).toEqual(['high']);
    expect(await titles('scope=all&to=2026-05-01T00:00:00Z', manager)).toEqual(['low']);
    expect(
      await titles('scope=all&priorityFrom=-99999999999&priorityTo=99999999999', manager),
    ).toHaveLength(2);
  });

  it('filters by due: overdue, today, thisWeek, noDueDate, over from and to; unknown values count for nothing (UT-252)', async () => {
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const atDay = (days: number): Instant =>
      new Date(midnight + days * 86_400_000 + 86_399_000).toISOString() as Instant;
    await given({
      past: { dueAt: daysFromNow(-3) },
      today: { dueAt: atDay(0) },
      week: { dueAt: atDay(6) },
      later: { dueAt: atDay(7) },
      never: {},
    });
    const found = async (query: string): Promise<readonly string[]> =>
      [...(await titles(`scope=all&${query}`, manager))].sort();
    expect(await found('due=overdue')).toEqual(['past']);
    expect(await found('due=today')).toEqual(['today']);
    expect(await found('due=thisWeek')).toEqual(['today', 'week']);
    expect(await found('due=noDueDate&from=2030-01-01T00:00:00Z')).toEqual(['never']);
    expect(await found('due=nodueDate')).toEqual(['never']);
    expect(await found('due=bogus')).toHaveLength(5);
  });

  it('filters by reference and type in any case and by workflow exactly (UT-248, UT-251)', async () => {
    await given({ a: { reference: 'INV-1', taskType: 'Invoice' }, b: { reference: 'INV-2' } });
    for (const query of [
      'reference=inv-1',
      'taskType=INVOICE',
      'reference=INV-1&taskType=invoice',
    ]) {
      expect(await titles(`scope=available&${query}`, clerk)).toEqual(['a']);
    }
    expect(
      await titles(
        'scope=all&workflowDefinitionId=invoiceApproval&workflowInstanceId=invoice-4711',
        manager,
      ),
    ).toHaveLength(2);
    expect(await titles('scope=all&workflowInstanceId=INVOICE-4711', manager)).toEqual([]);
    expect(await titles('scope=all&workflowDefinitionId=other', manager)).toEqual([]);
  });

  it.each([
    ['title', { title: 'needle' }],
    ['summary', { summary: 'a needle inside' }],
    ['reference', { reference: 'X-NEEDLE' }],
    ['type', { taskType: 'needle-work' }],
    ['tag', { tags: ['other', 'needle;1'] }],
    ['requester', { requester: user('u7', { displayName: 'Needle Person' }) }],
  ] as const)('searches in the %s, in any case (UT-253, UT-319)', async (_field, inputs) => {
    await given({ other: {} });
    const id = await seed(api.database, aDistinctTask(inputs));
    expect(
      (await list('scope=available&search=%20nEEdle%20', clerk)).items.map((item) => item.id),
    ).toEqual([id]);
  });

  it('searches within one field or tag, takes every character literally and never looks at protected data (UT-253, UT-319)', async () => {
    await given({
      a: {
        summary: '100% sure',
        tags: ['al', 'pha'],
        instructions: 'canary',
        taskData: { x: 'canary' },
      },
    });
    for (const query of ['alpha', '1_0', 'canary', '%25%25', 'a100'])
      expect(await titles(`scope=available&search=${query}`, clerk)).toEqual([]);
    expect(await titles(`scope=available&search=${encodeURIComponent('100%')}`, clerk)).toEqual([
      'a',
    ]);
    expect(await titles('scope=all&search=invoice%20approval', manager)).toEqual(['a']);
  });

  it.each([
    'priorityFrom=high',
    'priorityTo=1.5',
    'from=yesterday',
    'to=2026-02-30T00:00:00Z',
    'from=2026-01-01T00:00:00',
    'reference=%00',
    'search=%ED%A0%80%00',
  ])('refuses %s as invalid (UT-220)', async (query) => {
    const { status, body } = await api.get(`/user-tasks?${query}`, clerk);
    expect({ status, code: body['code'], errors: body['errors'] }).toEqual({
      status: 422,
      code: 'invalid-request',
      errors: [{ pointer: `/${query.split('=')[0]!}`, detail: expect.any(String) as string }],
    });
  });
});
