import { randomUUID } from 'node:crypto';
import { publishForm } from '../../forms/form-store';
import { taskWorkflowId } from '../../domain/ids';
import { group, person, TENANT } from '../builders/people';
import { clerk, expectAgreement, refusal, rowOf, send } from '../harness/acting';
import { createTaskStack, type TaskAddress, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';
import { taskIdQuery } from './definitions/before';

const payer = person('payer', { groups: [group('payers')] });

describe('a definition that changes while a task is open', () => {
  const worker = { workflowsPath: require.resolve('./definitions/before') };
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack({ worker });
    await publish('amount');
  });
  afterAll(() => stack.close());

  /** Publishes the next version of the form, which asks for this field. */
  const publish = (field: string): Promise<number> =>
    publishForm(stack.database, TENANT, 'payment', {
      '*': { type: 'object', properties: { [field]: { type: 'number' } }, required: [field] },
    });

  const start = () =>
    stack.client.workflow.start('payment', {
      workflowId: `payment-${randomUUID()}`,
      taskQueue: stack.taskQueue,
      args: [{ tenantId: TENANT, taskQueue: stack.taskQueue }],
    });

  async function raised(): Promise<
    TaskAddress & { readonly owner: Awaited<ReturnType<typeof start>> }
  > {
    const owner = await start();
    const taskId = await owner.query(taskIdQuery);
    const address = { taskId, workflowId: taskWorkflowId(TENANT, taskId) };
    await stack.tasksOf(owner.workflowId, 1);
    return { ...address, owner };
  }

  async function redeploy(definition: 'before' | 'after'): Promise<void> {
    const workflowsPath = require.resolve(`./definitions/${definition}`);
    if (workflowsPath === worker.workflowsPath) return;
    await stack.stopWorker();
    worker.workflowsPath = workflowsPath;
    await stack.startWorker();
  }

  const stored = async ({ taskId }: TaskAddress) =>
    stack.database.userTask.findFirstOrThrow({
      where: { id: taskId },
      include: { protected: true, candidates: true, exclusions: true, events: true },
    });

  it('changes the tasks to come and none that is there (UT-002, UT-036, UT-006, UT-086)', async () => {
    await redeploy('before');
    const open = await raised();
    const before = await stored(open);
    expect(before).toMatchObject({ title: 'Pay 4711', taskType: 'approval', priority: 40 });
    const newest = await publish('total');
    await redeploy('after');
    // Both the owner and its task run on the new code from here on.
    await send(stack, open, clerk, { kind: 'claim' });
    await send(stack, open, clerk, { kind: 'release', expectedRevision: 2 });
    const after = await stored(open);
    for (const part of ['title', 'taskType', 'priority', 'protected', 'exclusions'] as const) {
      expect(after[part]).toEqual(before[part]);
    }
    expect(after.candidates).toEqual(before.candidates);
    expect(after.protected).toMatchObject({
      instructions: 'The first instructions.',
      form: { pinnedVersion: String(newest - 1) },
      actions: [
        { key: 'approve', label: 'Approve it' },
        { key: 'reject', label: 'Reject it' },
      ],
    });
    expect(await refusal(send(stack, open, payer, { kind: 'claim', expectedRevision: 3 }))).toBe(
      'not-found',
    );
    await send(stack, open, clerk, { kind: 'claim', expectedRevision: 3 });
    const complete = { kind: 'complete', expectedRevision: 4, operationId: 'DONE' } as const;
    expect(
      await refusal(send(stack, open, clerk, { ...complete, actionKey: 'escalate', data: {} })),
    ).toBe('invalid-action');
    expect(await refusal(send(stack, open, clerk, { ...complete, data: { total: 1 } }))).toBe(
      'form-invalid',
    );
    await send(stack, open, clerk, { ...complete, data: { amount: 1 } });
    expect(await open.owner.result()).toEqual({ taskId: open.taskId, way: 'paid' });
    await expectAgreement(stack, open);

    const next = await raised();
    expect(await stored(next)).toMatchObject({
      title: 'Pay at once',
      taskType: 'renamed',
      protected: { form: { pinnedVersion: String(newest) } },
    });
    await send(stack, next, payer, { kind: 'claim' });
    await next.owner.cancel();
  });

  it.each([
    ['approve', 'paid'],
    ['reject', 'sent back'],
  ])(
    'has the owner go the way of %s, by the key alone (UT-083, UT-006)',
    async (actionKey, way) => {
      await redeploy('before');
      const task = await raised();
      await send(stack, task, clerk, { kind: 'claim' });
      const data = { amount: 1, total: 1 };
      await send(stack, task, clerk, {
        kind: 'complete',
        expectedRevision: 2,
        operationId: 'DONE',
        actionKey,
        data,
      });
      expect(await task.owner.result()).toEqual({ taskId: task.taskId, way });
      expect(await rowOf(stack, task)).toMatchObject({ actionKey });
    },
  );

  it('is known to its owner by id from the moment it is raised, and by the same id in the answer (UT-015, UT-264)', async () => {
    await redeploy('before');
    const owner = await start();
    const taskId = await owner.query(taskIdQuery);
    const [task] = await stack.tasksOf(owner.workflowId, 1);
    expect(task?.taskId).toBe(taskId);
    const address = { taskId, workflowId: taskWorkflowId(TENANT, taskId) };
    await send(stack, address, clerk, { kind: 'claim' });
    await send(stack, address, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'DONE',
      data: { amount: 1, total: 1 },
    });
    expect(await owner.result()).toMatchObject({ taskId });
  });

  it('shows no task of an owner whose step came to nothing, and one once the step is recorded (UT-024, UT-001)', async () => {
    await redeploy('before');
    const owner = await stack.client.workflow.start('stumbles', {
      workflowId: `stumbles-${randomUUID()}`,
      taskQueue: stack.taskQueue,
      args: [{ tenantId: TENANT, taskQueue: stack.taskQueue }],
    });
    await within(15_000, async () => {
      const { events } = await owner.fetchHistory();
      return events?.some((event) => event.workflowTaskFailedEventAttributes);
    });
    const rows = () =>
      stack.database.userTask.findMany({ where: { ownerWorkflowId: owner.workflowId } });
    expect(await rows()).toEqual([]);
    await redeploy('after');
    await stack.tasksOf(owner.workflowId, 1);
    expect(await rows()).toMatchObject([{ title: 'Committed' }]);
    await owner.cancel();
  });
});
