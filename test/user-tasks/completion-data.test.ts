import type { Json } from '../../domain/json';
import { CLERKS } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowOf,
  send,
  settledOperation,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';

/** `approve` takes an amount and a note, which is "none" unless given; see `oneReview`. */
const input = { title: 'Review', candidateGroups: [CLERKS], enableCancellationOutcome: true };

describe('the data of a completion', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  async function claimed(): Promise<RaisedTask> {
    const task = await stack.raise(input, { owner: 'oneReview' });
    await send(stack, task, clerk, { kind: 'claim' });
    return task;
  }

  const approve = (data: Json, operationId = 'done') =>
    ({ kind: 'complete', expectedRevision: 2, actionKey: 'approve', data, operationId }) as const;

  /** A completion by a program that neither validates nor hashes. */
  const raw = (data: unknown, more: object = {}) => ({
    ...approve(data as Json),
    actor: clerk,
    ...more,
  });

  const handleOf = (task: RaisedTask) => stack.client.workflow.getHandle(task.workflowId);
  const responseOf = async (task: RaisedTask) => (await rowOf(stack, task)).protected?.response;

  it('is validated, filled up and hashed by the sender (UT-089, UT-091, UT-262)', async () => {
    const task = await claimed();
    await send(stack, task, clerk, approve({ amount: 12.5 }));
    expect(await task.owner.result()).toMatchObject({ data: { amount: 12.5, note: 'none' } });
    expect(await responseOf(task)).toEqual({ amount: 12.5, note: 'none' });
    const operation = await operationOf(stack, task, 'done');
    expect(operation).toMatchObject({ status: 'Completed', actionKey: 'approve' });
    expect(operation?.requestHash).not.toBe(operation?.receivedHash);
    await expectAgreement(stack, task);
  });

  it.each<[string, Json, string]>([
    ['a negative amount', { amount: -1 }, 'form-invalid'],
    ['no amount', {}, 'form-invalid'],
    ['nothing at all', null, 'form-invalid'],
    ['a text as amount', { amount: '12' }, 'form-invalid'],
    ['a list', [1], 'form-invalid'],
  ])('is refused by the sender with %s (UT-090)', async (_what, data, code) => {
    const task = await claimed();
    expect(await refusal(send(stack, task, clerk, approve(data)))).toBe(code);
    expect(await refusal(signal(stack, task, clerk, approve(data)))).toBe(code);
    expect(await operationOf(stack, task, 'done')).toBeNull();
    await send(stack, task, clerk, approve({ amount: 1 }));
  });

  it('is refused for an action that takes none, and for no or a reserved action (UT-147)', async () => {
    const task = await claimed();
    const attempt = (more: object) =>
      refusal(send(stack, task, clerk, { ...approve(null), ...more }));
    expect(await attempt({ actionKey: 'reject', data: {} })).toBe('form-required');
    expect(await attempt({ actionKey: 'Approve' })).toBe('invalid-action');
    expect(await attempt({ actionKey: 'Timeout' })).toBe('reserved-action');
    expect(await attempt({ actionKey: 'Cancelled' })).toBe('reserved-action');
    expect(await attempt({ actionKey: 'reject' })).toMatchObject({
      accepted: { status: 'accepted' },
    });
  });

  it('of an unprepared update is validated before it is decided (UT-392)', async () => {
    const task = await claimed();
    const invalid = handleOf(task).executeUpdate('complete', {
      args: [raw({ amount: 'much' })] as [unknown],
    });
    await expect(invalid).rejects.toMatchObject({ cause: { type: 'form-invalid' } });
    const receipt = await handleOf(task).executeUpdate('complete', {
      args: [raw({ amount: 3 })] as [unknown],
      updateId: 'second',
    });
    expect(receipt).toMatchObject({
      task: { status: 'Completing' },
      response: { amount: 3, note: 'none' },
    });
    expect(await task.owner.result()).toMatchObject({ data: { amount: 3, note: 'none' } });
    await expectAgreement(stack, task);
  });

  it('of an unprepared signal is validated before it is decided (UT-392, UT-150)', async () => {
    const task = await claimed();
    await handleOf(task).signal('complete', raw({ amount: -3 }, { operationId: 'invalid' }));
    expect(await settledOperation(stack, task, 'invalid')).toMatchObject({
      status: 'Rejected',
      errorCode: 'form-invalid',
    });
    expect(await eventsOf(stack, task)).toHaveLength(2);
    await handleOf(task).signal('complete', raw({ amount: 3 }, { operationId: 'valid' }));
    expect(await task.owner.result()).toMatchObject({ data: { amount: 3, note: 'none' } });
    expect(await settledOperation(stack, task, 'valid')).toMatchObject({ status: 'Completed' });
    await expectAgreement(stack, task);
  });

  it('keeps signals in order behind one that is being validated (UT-385, UT-392)', async () => {
    const task = await claimed();
    await stack.stopWorker();
    await handleOf(task).signal('complete', raw({ amount: 1 }, { operationId: 'first' }));
    await handleOf(task).signal('release', {
      expectedRevision: 3,
      actor: clerk,
      operationId: 'second',
    });
    await stack.startWorker();
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    expect(await settledOperation(stack, task, 'second')).toMatchObject({
      errorCode: 'transition-in-progress',
    });
    await expectAgreement(stack, task);
  });

  it('lets a cancellation win that arrives while it is being validated (UT-110, UT-151)', async () => {
    const task = await claimed();
    stack.workerDatabase.cut();
    await stack.stopWorker();
    await handleOf(task).signal('complete', raw({ amount: 1 }, { operationId: 'late' }));
    await handleOf(task).signal('update', {
      expectedRevision: 2,
      actor: manager,
      operationId: 'behind',
      priority: 1,
    });
    stack.workerDatabase.restore();
    const cancelled = send(stack, task, manager, {
      kind: 'cancel',
      expectedRevision: 2,
      operationId: 'won',
    });
    await stack.startWorker();
    await cancelled;
    expect(await task.owner.result()).toMatchObject({ actionKey: 'Cancelled' });
    await settledOperation(stack, task, 'late');
    await expectAgreement(stack, task);
  });

  it('is the same request in another shape and with its defaults written out (UT-402, UT-141)', async () => {
    const task = await claimed();
    await send(stack, task, clerk, approve({ amount: 5, more: { a: 1, b: [2] } }));
    for (const same of [
      { more: { b: [2], a: 1 }, amount: 5 },
      { amount: 5, note: 'none', more: { a: 1, b: [2] } },
      { amount: 5.0, more: { a: 1, b: [2] } },
    ]) {
      expect(await send(stack, task, clerk, approve(same))).toMatchObject({
        kind: 'done',
        status: 'accepted',
      });
    }
    for (const other of [
      { amount: 6 },
      { amount: 5, more: { a: 1, b: [2, 3] } },
      { amount: 'x' },
      null,
    ]) {
      expect(await refusal(send(stack, task, clerk, approve(other)))).toBe('idempotency-conflict');
    }
    expect(await eventsOf(stack, task)).toHaveLength(4);
  });

  it('stays in protected storage and out of events and operations (UT-145, UT-157)', async () => {
    const task = await claimed();
    await send(stack, task, clerk, approve({ amount: 1, note: 'canary-in-data' }));
    await task.owner.result();
    const [events, operations] = await Promise.all([
      stack.database.userTaskEvent.findMany({ where: { taskId: task.taskId } }),
      stack.database.userTaskOperation.findMany({ where: { taskId: task.taskId } }),
    ]);
    expect(JSON.stringify([events, operations])).not.toContain('canary-in-data');
    expect(JSON.stringify(await responseOf(task))).toContain('canary-in-data');
  });
});
