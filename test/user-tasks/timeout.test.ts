import type { Instant } from '../../domain/instant';
import { timeoutOperationId } from '../../domain/user-tasks/decide/expire';
import { CLERKS } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowThatIs,
  send,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { START_TIMEOUT_MS } from '../harness/temporal-environment';

const DAY_MS = 86_400_000;

describe('the timeout of a task', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack({ timeSkipping: true });
  }, START_TIMEOUT_MS);
  afterAll(() => stack.close());

  async function inDays(days: number): Promise<Instant> {
    return new Date((await stack.now()) + days * DAY_MS).toISOString() as Instant;
  }

  const raise = async (days: number, more: object = {}): Promise<RaisedTask> =>
    stack.raise({
      title: 'Invoice',
      candidateGroups: [CLERKS],
      dueAt: await inDays(days),
      enableTimeoutOutcome: true,
      enableCancellationOutcome: true,
      ...more,
    });

  it('gives the owner Timeout, without data or completer (UT-104, UT-129, UT-263)', async () => {
    const task = await raise(30);
    await send(stack, task, clerk, { kind: 'claim' });
    await stack.skip(31 * DAY_MS);
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'Timeout',
      data: null,
      completedBy: null,
      taskId: task.taskId,
    });
    expect(await eventsOf(stack, task)).toEqual([
      ['Created', 1],
      ['Claimed', 2],
      ['TimeoutRequested', 3],
      ['TimedOut', 4],
    ]);
    expect(await expectAgreement(stack, task)).toMatchObject({
      status: 'TimedOut',
      actionKey: 'Timeout',
      completedBy: null,
      assignee: { id: 'clerk' },
    });
  });

  it('is recorded as one operation of the system under its own id (UT-130, UT-312)', async () => {
    const task = await raise(1);
    await stack.skip(2 * DAY_MS);
    await rowThatIs(stack, task, 'TimedOut');
    const operationId = timeoutOperationId(task.taskId, 1);
    expect(operationId).toBe(`timeout:${task.taskId}:1`);
    expect(await operationOf(stack, task, operationId)).toMatchObject({
      kind: 'Timeout',
      status: 'Completed',
      subject: null,
      actionKey: 'Timeout',
      expectedRevision: 1,
      revision: 3,
    });
    expect(await stack.database.userTaskOperation.count({ where: { taskId: task.taskId } })).toBe(
      1,
    );
  });

  it('comes at once for a task that was due before it was raised (UT-125, UT-104)', async () => {
    const task = await raise(-1);
    expect(await task.owner.result()).toMatchObject({ actionKey: 'Timeout' });
    await expectAgreement(stack, task);
  });

  it('comes when the due date is moved into the past (UT-125, UT-128)', async () => {
    const task = await raise(30);
    await send(stack, task, manager, { kind: 'update', dueAt: await inDays(-1) });
    expect(await task.owner.result()).toMatchObject({ actionKey: 'Timeout' });
  });

  it('does not come once the task is finished or its due date cleared (UT-110, UT-133)', async () => {
    const finished = await raise(3);
    const cleared = await raise(3);
    await send(stack, finished, clerk, { kind: 'claim' });
    await send(stack, finished, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'done',
    });
    await send(stack, cleared, manager, { kind: 'update', dueAt: null });
    await stack.skip(10 * DAY_MS);
    expect((await eventsOf(stack, finished)).map(([kind]) => kind)).toEqual([
      'Created',
      'Claimed',
      'CompletionRequested',
      'Completed',
    ]);
    expect(await eventsOf(stack, cleared)).toHaveLength(2);
    await expectAgreement(stack, cleared);
  });

  it('tells an assignee whom it overtook that the task is closed (UT-115)', async () => {
    const task = await raise(1);
    await send(stack, task, clerk, { kind: 'claim' });
    await stack.skip(2 * DAY_MS);
    await rowThatIs(stack, task, 'TimedOut');
    const late = send(stack, task, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'late',
    });
    expect(await refusal(late)).toBe('terminal');
  });

  it('and a completion that meet have one winner and give one result (UT-110, UT-151, UT-312)', async () => {
    const tasks: RaisedTask[] = [];
    for (let n = 0; n < 6; n += 1) {
      const task = await raise(1);
      await send(stack, task, clerk, { kind: 'claim' });
      tasks.push(task);
    }
    const complete = { kind: 'complete', expectedRevision: 2, operationId: 'done' } as const;
    const [, ...answers] = await Promise.all([
      stack.skip(DAY_MS),
      ...tasks.map((task) => refusal(send(stack, task, clerk, complete))),
    ]);
    for (const [index, task] of tasks.entries()) {
      const answer = answers[index];
      const result = (await task.owner.result()) as { readonly actionKey: string };
      const { status } = await expectAgreement(stack, task);
      if (typeof answer === 'string') {
        expect(['terminal', 'transition-in-progress', 'revision-conflict']).toContain(answer);
        expect([result.actionKey, status]).toEqual(['Timeout', 'TimedOut']);
      } else {
        expect([result.actionKey, status]).toEqual(['approve', 'Completed']);
      }
    }
  });
});
