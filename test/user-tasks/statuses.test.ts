import { CLERKS, group, manager, user } from '../builders/people';
import { clerk, eventsOf, expectAgreement, rowOf, rowThatIs, send } from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';

describe('the statuses of a task', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  const raise = (more: object): Promise<RaisedTask> => stack.raise({ title: 'Approve', ...more });

  const beginnings: readonly (readonly [string, object, string, readonly string[]])[] = [
    ['an assignee', { assignee: user('ann') }, 'Assigned', []],
    [
      'an assignee and candidates',
      { assignee: user('ann'), candidateGroups: [CLERKS] },
      'Assigned',
      [],
    ],
    ['a candidate group', { candidateGroups: [CLERKS] }, 'Available', []],
    ['a candidate user', { candidateUsers: [user('ann')] }, 'Available', []],
    [
      'an excluded assignee and candidates',
      { assignee: user('eve'), excludedUsers: [user('eve')], candidateGroups: [CLERKS] },
      'Available',
      ['excluded-assignee'],
    ],
    [
      'an excluded candidate alone',
      { candidateUsers: [user('eve')], excludedUsers: [user('eve')] },
      'Unassigned',
      ['no-assignment'],
    ],
    ['nobody', {}, 'Unassigned', ['no-assignment']],
  ];

  it.each(beginnings)(
    'begin with %s as %s (UT-099, UT-026, UT-027, UT-028, UT-029)',
    async (_what, input, status, codes) => {
      const task = await raise(input);
      const row = await rowOf(stack, task);
      expect(row).toMatchObject({ status, revision: 1, updatedAt: row.createdAt });
      expect(row.assignedAt).toEqual(status === 'Assigned' ? row.createdAt : null);
      expect(row.health.map(({ code }) => code)).toEqual(codes);
      expect(await eventsOf(stack, task)).toEqual([['Created', 1]]);
      await expectAgreement(stack, task);
    },
  );

  const ends: readonly (readonly [string, (task: RaisedTask) => Promise<unknown>])[] = [
    [
      'Completed',
      async (task) => {
        await send(stack, task, clerk, { kind: 'claim' });
        const complete = { kind: 'complete', expectedRevision: 2, operationId: 'DONE' } as const;
        await send(stack, task, clerk, complete);
      },
    ],
    ['Cancelled', (task) => send(stack, task, manager, { kind: 'cancel', operationId: 'END' })],
    ['Cancelled', (task) => task.owner.cancel()],
    [
      'TimedOut',
      (task) =>
        send(stack, task, manager, {
          kind: 'update',
          dueAt: new Date(Date.now() + 500).toISOString() as never,
        }),
    ],
  ];

  it.each(ends)(
    'end as %s with the time of the end, which is the one of its event (UT-111, UT-112)',
    async (status, end) => {
      const task = await raise({
        candidateGroups: [CLERKS, group('payers')],
        enableTimeoutOutcome: true,
        enableCancellationOutcome: true,
      });
      expect((await rowOf(stack, task)).completedAt).toBeNull();
      await end(task);
      const row = await rowThatIs(stack, task, status as never);
      const [last] = await stack.database.userTaskEvent.findMany({
        where: { taskId: task.taskId },
        orderBy: { revision: 'desc' },
        take: 1,
      });
      expect(last?.eventType).toBe(status);
      expect(row.completedAt).toEqual(last?.occurredAt);
      expect(row.updatedAt).toEqual(row.completedAt);
      const candidates = await stack.database.userTaskCandidate.findMany({
        where: { taskId: task.taskId, claimable: true },
      });
      expect(candidates).toEqual([]);
      await expectAgreement(stack, task);
    },
  );
});
