import { isRecord } from '../../domain/json';
import { clerk, manager } from '../builders/people';
import { CREATED_AT, later } from '../builders/task';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { notificationsOfTask, tell } from './telling-tasks';

const CANARY = 'canary-6f1d';

describe('what is told of a task', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const toldOf = async (taskId: string) =>
    (await notificationsOfTask(test.db, taskId)).map(({ type, revision, status, data }) => {
      const changed = isRecord(data) ? data['changedFields'] : null;
      return [type, revision, status, changed] as const;
    });

  it('tells every step once, in order, with status and revision of that step (UT-268, UT-270)', async () => {
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await task.step((now) => now.releasedBy(clerk));
    await task.step((now) => now.assignedTo(clerk.subject));
    await task.step((now) => now.rescheduled({ priority: 70 }));
    expect(await toldOf(task.id)).toEqual([
      ['UserTaskCreated', 1, 'Available', []],
      ['UserTaskChanged', 2, 'Assigned', ['claim']],
      ['UserTaskChanged', 3, 'Available', ['release']],
      ['UserTaskChanged', 4, 'Assigned', ['assign']],
      ['UserTaskChanged', 5, 'Assigned', ['scheduleUpdate']],
    ]);
  });

  it('tells acceptance, change and end of a completion that came in one receipt (UT-268, UT-270)', async () => {
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await task.step((now) => now.completed({ operationId: 'OP1' }));
    expect((await toldOf(task.id)).slice(2)).toEqual([
      ['UserTaskCompletionAccepted', 3, 'Completing', []],
      ['UserTaskChanged', 3, 'Completing', ['completionRequested']],
      ['UserTaskCompleted', 4, 'Completed', []],
    ]);
    const [accepted] = (await notificationsOfTask(test.db, task.id)).slice(2);
    expect(accepted?.data).toMatchObject({ operationId: 'OP1' });
  });

  it('tells the same under the same id when a projection is repeated or late (UT-271, UT-272)', async () => {
    const task = await tell(test.db);
    const claimAgain = await task.step((now) => now.claimedBy(clerk));
    const endAgain = await task.step((now) => now.completed());
    const before = await notificationsOfTask(test.db, task.id);
    await claimAgain();
    await task.create();
    await Promise.all([endAgain(), endAgain(), task.create()]);
    expect(await notificationsOfTask(test.db, task.id)).toEqual(before);
    expect(new Set(before.map(({ id }) => id)).size).toBe(before.length);
    expect(before.filter(({ type }) => type === 'UserTaskCreated')).toHaveLength(1);
  });

  it('tells every end once, by its own name (UT-268, UT-271)', async () => {
    const dueAt = later(CREATED_AT, 60);
    const cancelled = await tell(test.db, { enableCancellationOutcome: true });
    await cancelled.step((now) => now.cancelled());
    const timedOut = await tell(test.db, { dueAt, enableTimeoutOutcome: true });
    await timedOut.step((now) => now.timedOut());
    const overdue = await tell(test.db, { dueAt });
    await overdue.step((now) => now.expired());
    const types = async (taskId: string) => (await toldOf(taskId)).map(([type]) => type).slice(1);
    expect(await types(cancelled.id)).toEqual(['UserTaskChanged', 'UserTaskCancelled']);
    expect(await types(timedOut.id)).toEqual([
      'UserTaskChanged',
      'UserTaskOverdue',
      'UserTaskTimedOut',
    ]);
    expect(await types(overdue.id)).toEqual(['UserTaskOverdue']);
  });

  it('holds nothing protected (UT-157, UT-269)', async () => {
    const task = await tell(test.db, { instructions: CANARY, taskData: { secret: CANARY } });
    await task.step((now) => now.assignedTo(clerk.subject, { reason: CANARY }));
    await task.step((now) => now.releasedBy(manager, { reason: CANARY }));
    const rows = await notificationsOfTask(test.db, task.id);
    expect(rows).toHaveLength(3);
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(text).toContain('UserTaskChanged');
    expect(text).not.toContain(CANARY);
  });
});
