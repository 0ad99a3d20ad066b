import { randomUUID } from 'node:crypto';
import { sweep } from '../../api/sweeper';
import { taskIdOf, taskWorkflowId } from '../../domain/ids';
import { millisOf, type Instant } from '../../domain/instant';
import { CLERKS } from '../builders/people';
import {
  agePending,
  clerk,
  colleague,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowThatIs,
  send,
  settledOperation,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

describe('a task whose workflow continues as new', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  /** Raised by hand, so that a short history makes it continue. */
  async function raised(historyLimit: number, inputs: object = {}): Promise<RaisedTask> {
    const taskId = taskIdOf(randomUUID());
    const start = {
      tenantId: 'acme',
      taskId,
      activityInstanceId: randomUUID(),
      inputs: {
        title: 'Long',
        candidateGroups: [CLERKS],
        actions: [{ key: 'approve', label: 'Approve' }],
        ...inputs,
      },
      ownerDefinition: { id: 'byHand', name: 'By hand', version: null, instanceReference: null },
      historyLimit,
    };
    const owner = await stack.client.workflow.start('byHand', {
      workflowId: `owner-${taskId}`,
      taskQueue: stack.taskQueue,
      args: [{ starts: [start], taskQueue: stack.taskQueue }],
    });
    await within(15_000, () => stack.database.userTask.findFirst({ where: { id: taskId } }));
    return { taskId, workflowId: taskWorkflowId('acme', taskId), owner };
  }

  const runsOf = async (task: RaisedTask): Promise<number> => {
    const { run } = await stack.client.workflow
      .getHandle(task.workflowId)
      .query<{ run: { lineage: string[] } }>('snapshot');
    return run.lineage.length + 1;
  };
  const runs = (task: RaisedTask, atLeast: number) =>
    within(15_000, async () => (await runsOf(task)) >= atLeast);

  it('keeps state, operations, revisions and the owner’s wait (UT-113, UT-381, UT-266)', async () => {
    const task = await raised(20);
    let revision = 1;
    for (let round = 0; round < 5; round += 1) {
      await send(stack, task, clerk, {
        kind: 'claim',
        expectedRevision: revision,
        operationId: `claim-${round}`,
      });
      await send(stack, task, clerk, {
        kind: 'release',
        expectedRevision: revision + 1,
        operationId: `release-${round}`,
      });
      revision += 2;
    }
    await runs(task, 3);
    await send(stack, task, clerk, {
      kind: 'claim',
      expectedRevision: revision,
      operationId: 'last',
    });
    await expectAgreement(stack, task);
    const complete = {
      kind: 'complete',
      expectedRevision: revision + 1,
      operationId: 'done',
    } as const;
    await send(stack, task, clerk, complete);
    expect(await task.owner.result()).toMatchObject([
      { actionKey: 'approve', taskId: task.taskId },
    ]);
    expect(await send(stack, task, clerk, complete)).toMatchObject({ status: 'accepted' });
    expect(await expectAgreement(stack, task)).toMatchObject({
      status: 'Completed',
      revision: revision + 3,
    });
  });

  it('answers a repeated operation of an earlier run and runs it no second time (UT-142, UT-113)', async () => {
    const task = await raised(12);
    const claim = { kind: 'claim', operationId: 'early' } as const;
    await send(stack, task, clerk, claim);
    await send(stack, task, manager, { kind: 'update', expectedRevision: 2, priority: 1 });
    await runs(task, 2);
    expect(await send(stack, task, clerk, claim)).toMatchObject({ status: 'completed' });
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const command = { ...claim, expectedRevision: 1, actor: clerk };
    const receipt = await handle.executeUpdate('claim', {
      args: [command] as [unknown],
      updateId: 'early',
    });
    expect(receipt).toMatchObject({
      events: [],
      operation: { operationId: 'early' },
      task: { revision: 3 },
    });
    const other = handle.executeUpdate('claim', {
      args: [{ ...command, actor: colleague }] as [unknown],
    });
    await expect(other).rejects.toMatchObject({ cause: { type: 'idempotency-conflict' } });
    await expectAgreement(stack, task);
  });

  it('tells by query what became of an operation that its earlier run accepted (UT-400)', async () => {
    const task = await raised(12);
    await send(stack, task, clerk, { kind: 'claim', operationId: 'early' });
    await send(stack, task, manager, { kind: 'update', expectedRevision: 2, priority: 1 });
    await runs(task, 2);
    const known = await stack.deps.gateway.recorded(task.workflowId, 'early', 5_000);
    expect(known).toMatchObject({
      kind: 'accepted',
      receipt: { events: [{ kind: 'Claimed', revision: 2 }] },
    });
    expect(await stack.deps.gateway.recorded(task.workflowId, 'never', 5_000)).toEqual({
      kind: 'unrecorded',
    });
  });

  it('takes a command that comes with the first workflow task of a run (UT-113, UT-149)', async () => {
    for (let n = 0; n < 4; n += 1) {
      const task = await raised(10);
      await send(stack, task, clerk, { kind: 'claim' });
      await send(stack, task, clerk, { kind: 'release', expectedRevision: 2 });
      await send(stack, task, manager, { kind: 'update', expectedRevision: 3, priority: 1 });
      await expectAgreement(stack, task);
      expect(await runsOf(task)).toBeGreaterThan(1);
      await task.owner.terminate();
    }
  });

  it('keeps its due date (UT-113, UT-132)', async () => {
    const dueAt = new Date(Date.now() + 8_000).toISOString() as Instant;
    const task = await raised(12, { dueAt, enableTimeoutOutcome: true });
    await send(stack, task, clerk, { kind: 'claim' });
    await send(stack, task, manager, { kind: 'update', expectedRevision: 2, priority: 1 });
    await runs(task, 2);
    const [result] = (await task.owner.result()) as [{ actionKey: string; completedAt: Instant }];
    expect(result.actionKey).toBe('Timeout');
    expect(millisOf(result.completedAt)).toBeGreaterThanOrEqual(millisOf(dueAt));
    await expectAgreement(stack, task);
  });

  it('loses no command that arrives meanwhile (UT-113, UT-142, UT-149)', async () => {
    const task = await raised(10);
    let accepted = 0;
    const work = async (n: number): Promise<void> => {
      const by = n % 2 === 0 ? clerk : colleague;
      for (let round = 0; round < 8; round += 1) {
        const { revision, status } = await stack.database.userTask.findFirstOrThrow({
          where: { id: task.taskId },
        });
        const kind = status === 'Assigned' ? 'release' : 'claim';
        const ask = { kind, expectedRevision: revision, operationId: `${n}-${round}` } as const;
        const answer = await refusal(
          n < 4 ? send(stack, task, by, ask) : signal(stack, task, by, ask),
        );
        if (n >= 4) await settledOperation(stack, task, ask.operationId).catch(() => undefined);
        if (typeof answer === 'object' && n < 4) accepted += 1;
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_each, n) => work(n)));
    expect(await runsOf(task)).toBeGreaterThan(1);
    // Who got no outcome in time is settled by the sweeper, as accepted or as never sent.
    const where = { taskId: task.taskId };
    await within(20_000, async () => {
      await agePending(stack);
      await sweep(stack.deps);
      return (
        (await stack.database.userTaskOperation.count({
          where: { ...where, status: 'Pending' },
        })) === 0
      );
    });
    const { revision } = await expectAgreement(stack, task);
    const completed = { ...where, status: 'Completed' };
    expect(await stack.database.userTaskOperation.count({ where: completed })).toBe(revision - 1);
    expect(accepted).toBeGreaterThan(0);
  }, 60_000);

  it.each(['cancel', 'terminate'] as const)(
    'ends as cancelled in any run when its owner is told to %s (UT-107, UT-113, UT-396)',
    async (end) => {
      // By the client, which must find the task in whichever run it is.
      const input = { title: 'Long', candidateGroups: [CLERKS] };
      const task = await stack.raise(input, { with: { historyLimit: 12 } });
      await send(stack, task, clerk, { kind: 'claim', operationId: 'early' });
      await send(stack, task, manager, { kind: 'update', expectedRevision: 2, priority: 1 });
      await runs(task, 2);
      await task.owner[end]();
      await task.owner.result().catch(() => undefined);
      await rowThatIs(stack, task, 'Cancelled');
      expect(await expectAgreement(stack, task)).toMatchObject({
        revision: 4,
        assignee: { id: 'clerk' },
      });
      expect((await eventsOf(stack, task)).at(-1)).toEqual(['Cancelled', 4]);
      expect(await operationOf(stack, task, 'early')).toMatchObject({ status: 'Completed' });
    },
  );

  it('carries on however long the reasons were that people gave (UT-113)', async () => {
    const task = await raised(600, {
      instructions: 'x'.repeat(262_144),
      taskData: 'y'.repeat(262_142),
    });
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const reason = '長'.repeat(4_000);
    for (let n = 0; n < 150; n += 1) {
      const command = {
        expectedRevision: n + 1,
        actor: manager,
        reason,
        assignee: clerk.subject,
        operationId: `assign-${n}`,
      };
      const [update, updateId] = ['assign', `assign-${n}`];
      await handle.executeUpdate(update, {
        args: [{ ...command, projectedBySender: true }] as [unknown],
        updateId,
      });
    }
    await runs(task, 2);
    await handle.signal('release', { expectedRevision: 151, actor: manager, operationId: 'end' });
    expect(await settledOperation(stack, task, 'end')).toMatchObject({
      status: 'Completed',
      revision: 152,
    });
  }, 60_000);
});
