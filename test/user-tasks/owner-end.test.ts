import { CLERKS, group } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  manager,
  refusal,
  rowThatIs,
  send,
  settledOperation,
} from '../harness/acting';
import { createTaskStack, type TaskAddress, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

const input = { title: 'Invoice', candidateGroups: [CLERKS], enableCancellationOutcome: true };

describe('a task whose owner ends', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  async function expectWithdrawn(task: TaskAddress, revision: number): Promise<void> {
    await rowThatIs(stack, task, 'Cancelled');
    const where = { taskId: task.taskId, eventType: 'Cancelled' };
    expect(await stack.database.userTaskEvent.findMany({ where })).toMatchObject([
      { actor: null, operationId: null, metadata: { actionKey: 'Cancelled', cause: 'owner' } },
    ]);
    expect(await expectAgreement(stack, task)).toMatchObject({
      status: 'Cancelled',
      revision,
      completedBy: null,
    });
    expect(
      await refusal(send(stack, task, clerk, { kind: 'claim', expectedRevision: revision })),
    ).toBe('terminal');
  }

  it('is cancelled with its owner, whom the platform tells so (UT-107, UT-265, UT-396)', async () => {
    const task = await stack.raise(input);
    await send(stack, task, clerk, { kind: 'claim' });
    await task.owner.cancel();
    await expect(task.owner.result()).rejects.toMatchObject({
      cause: { name: 'CancelledFailure' },
    });
    await expectWithdrawn(task, 3);
  });

  it('is cancelled when its owner is terminated (UT-396, UT-107)', async () => {
    const task = await stack.raise(input);
    await task.owner.terminate('over');
    await expectWithdrawn(task, 2);
  });

  it.each(['failing', 'returning', 'continuing'])(
    'is cancelled by an owner that ends by %s (UT-396)',
    async (by) => {
      const task = await stack.raise(input, { owner: 'endsEarly', with: { by } });
      await task.owner.signal('proceed');
      await expectWithdrawn(task, 2);
      const end = await task.owner
        .result()
        .catch((error: unknown) => String((error as Error).cause));
      const expected = {
        failing: 'the owner fails',
        returning: 'did not wait',
        continuing: 'went on',
      }[by];
      expect(end).toContain(expected);
    },
  );

  it('never stays open when its owner returns in the step that raised it (UT-396)', async () => {
    const owner = await stack.client.workflow.start('forgets', {
      workflowId: `forgets-${stack.taskQueue}`,
      taskQueue: stack.taskQueue,
      args: [{ tenantId: 'acme', taskQueue: stack.taskQueue, input }],
    });
    expect(await owner.result()).toBe('forgot');
    const { events } = await owner.fetchHistory();
    const raised = events?.find(
      (event) => event.startChildWorkflowExecutionInitiatedEventAttributes,
    );
    const workflowId = raised?.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
    // The server may or may not still start the child of an owner that has closed.
    const ended = await within(15_000, async () => {
      const description = stack.client.workflow.getHandle(workflowId ?? '').describe();
      const { name } = await description.then(
        ({ status }) => status,
        () => ({ name: 'never started' }),
      );
      return name !== 'RUNNING' && name;
    });
    expect(['never started', 'CANCELLED', 'COMPLETED']).toContain(ended);
    const where = { ownerWorkflowId: owner.workflowId, status: { not: 'Cancelled' } };
    expect(await stack.database.userTask.count({ where })).toBe(0);
  });

  it('is given up alone while its sibling goes on (UT-107, UT-266)', async () => {
    const { owner } = await stack.raise(input, { owner: 'givesUpOne' });
    const [first, second] = (await stack.tasksOf(owner.workflowId, 2)) as [
      TaskAddress,
      TaskAddress,
    ];
    await owner.signal('proceed');
    await expectWithdrawn(first, 2);
    await send(stack, second, clerk, { kind: 'claim' });
    await send(stack, second, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'done',
    });
    expect(await owner.result()).toMatchObject([
      expect.stringContaining('Cancel'),
      { actionKey: 'approve', taskId: second.taskId },
    ]);
  });

  it('loses a race and is cancelled, as its row says (UT-107, UT-396)', async () => {
    const { owner } = await stack.raise(input, { owner: 'racesThree' });
    const [first, second, third] = (await stack.tasksOf(owner.workflowId, 3)) as [
      TaskAddress,
      TaskAddress,
      TaskAddress,
    ];
    await send(stack, first, clerk, { kind: 'claim' });
    await send(stack, second, clerk, { kind: 'claim' });
    await send(stack, second, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'won' });
    expect(await owner.result()).toMatchObject({ taskId: second.taskId, actionKey: 'approve' });
    await expectWithdrawn(first, 3);
    await expectWithdrawn(third, 2);
    expect(await expectAgreement(stack, second)).toMatchObject({ status: 'Completed' });
  });

  it('keeps a manager’s cancellation apart from its owner’s end (UT-396, UT-263, UT-265)', async () => {
    const task = await stack.raise(input);
    await send(stack, task, manager, { kind: 'cancel', operationId: 'stop' });
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'Cancelled',
      data: null,
      completedBy: { id: 'manager' },
    });
    const where = { taskId: task.taskId, eventType: 'Cancelled' };
    expect(await stack.database.userTaskEvent.findMany({ where })).toMatchObject([
      { operationId: 'stop', metadata: { cause: 'manager' } },
    ]);
  });

  it('delivers a completion that was accepted before the owner was cancelled (UT-114, UT-107)', async () => {
    const task = await stack.raise(input);
    await send(stack, task, clerk, { kind: 'claim' });
    stack.workerDatabase.cut();
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const command = {
      operationId: 'first',
      expectedRevision: 2,
      actor: clerk,
      actionKey: 'approve',
    };
    await handle.signal('complete', command);
    await within(
      10_000,
      async () =>
        (await handle.query<{ record: { task: { status: string } } }>('snapshot')).record.task
          .status === 'Completing',
    );
    await task.owner.cancel();
    await within(10_000, async () => {
      const { events } = await handle.fetchHistory();
      return events?.some(({ workflowExecutionCancelRequestedEventAttributes: asked }) =>
        Boolean(asked),
      );
    });
    stack.workerDatabase.restore();
    await rowThatIs(stack, task, 'Completed');
    expect(await settledOperation(stack, task, 'first')).toMatchObject({ status: 'Completed' });
    expect((await eventsOf(stack, task)).map(([kind]) => kind)).toEqual([
      'Created',
      'Claimed',
      'CompletionRequested',
      'Completed',
    ]);
    expect(await handle.result()).toMatchObject({ actionKey: 'approve' });
    await task.owner.result().catch(() => undefined);
    await expectAgreement(stack, task);
  });

  it('has the winner of a completion and its owner’s end, one way or the other (UT-110, UT-151)', async () => {
    for (let n = 0; n < 5; n += 1) {
      const task = await stack.raise({
        title: 'Race',
        candidateGroups: [CLERKS, group(`other-${n}`)],
      });
      await send(stack, task, clerk, { kind: 'claim' });
      const complete = { kind: 'complete', expectedRevision: 2, operationId: 'done' } as const;
      const [answer] = await Promise.all([
        refusal(send(stack, task, clerk, complete)),
        task.owner.cancel(),
      ]);
      const end = await task.owner.result().then(
        (result) => (result as { readonly actionKey: string }).actionKey,
        () => 'cancelled',
      );
      const { status } = await expectAgreement(stack, task);
      if (typeof answer === 'string') expect([end, status]).toEqual(['cancelled', 'Cancelled']);
      else expect(status).toBe('Completed');
    }
  });
});
