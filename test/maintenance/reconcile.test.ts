import { WorkflowFailedError, type Client } from '@temporalio/client';
import { NOTHING_REPAIRED } from '../../activities/maintenance/maintenance-activities';
import { describeWorkflow } from '../../activities/user-tasks/closure';
import { CLERKS } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  operationOf,
  rowOf,
  rowThatIs,
  send,
  signal,
} from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { createMaintenanceStack, type MaintenanceStack } from './maintenance-stack';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS] };

/** Has Temporal delete a workflow, as it does with closed ones once their retention has passed. */
async function forget(client: Client, workflowId: string): Promise<void> {
  const { namespace } = client.options;
  const workflowExecution = { workflowId };
  await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  await within(60_000, async () => (await describeWorkflow(client, workflowId)) === null);
}

describe('repair of user tasks', () => {
  let maintenance: MaintenanceStack;
  beforeAll(async () => {
    maintenance = await createMaintenanceStack();
  }, 120_000);
  afterAll(() => maintenance.close());

  const raised = (): Promise<RaisedTask> => maintenance.stack.raise(input);
  const claimed = async (): Promise<RaisedTask> => {
    const task = await raised();
    await send(maintenance.stack, task, clerk, { kind: 'claim', operationId: 'claim' });
    return task;
  };
  /** Sets the row back, as a restored database does. */
  const setBack = async ({ taskId }: RaisedTask, to: object): Promise<void> => {
    await maintenance.stack.database.userTask.updateMany({ where: { id: taskId }, data: to });
  };
  const complete = { kind: 'complete', expectedRevision: 2, operationId: 'end' } as const;

  it('finds nothing to do where rows and workflows agree (UT-275, UT-279)', async () => {
    const task = await claimed();
    const before = await rowOf(maintenance.stack, task);
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
    expect(await rowOf(maintenance.stack, task)).toEqual(before);
    await task.owner.cancel();
  });

  it('makes the row of an open task again, with its events and operations, once (UT-275, UT-276, UT-279)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    const [before, events, operation] = [
      await rowOf(stack, task),
      await eventsOf(stack, task),
      await operationOf(stack, task, 'claim'),
    ];
    await maintenance.loseRows(task);
    const counts = await within(15_000, async () => {
      const pass = await maintenance.reconcile();
      return pass.recreated > 0 && pass;
    });
    expect(counts).toEqual({ ...NOTHING_REPAIRED, recreated: 1 });
    expect(await rowOf(stack, task)).toEqual(before);
    expect(await eventsOf(stack, task)).toEqual(events);
    expect(await operationOf(stack, task, 'claim')).toEqual(operation);
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
    await expectAgreement(stack, task);
    await task.owner.cancel();
  });

  it('leaves alone what was touched a moment ago (UT-278)', async () => {
    const { stack } = maintenance;
    const [lost, behind] = [await claimed(), await claimed()];
    await maintenance.loseRows(lost);
    await setBack(behind, { revision: 1, status: 'Available', assignee: null, assigneeKey: null });
    expect(await maintenance.reconcile({ untouchedForMs: 300_000 })).toEqual(NOTHING_REPAIRED);
    expect(await stack.database.userTask.count({ where: { id: lost.taskId } })).toBe(0);
    expect(await rowOf(stack, behind)).toMatchObject({ revision: 1 });
    await within(
      15_000,
      async () => (await maintenance.reconcile()).recreated === 1 || undefined,
    ).catch(() => undefined);
    await expectAgreement(stack, lost);
    await expectAgreement(stack, behind);
    await lost.owner.cancel();
    await behind.owner.cancel();
  });

  it('brings a row up to its open task, on two nodes at once (UT-275, UT-279)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await setBack(task, { revision: 1, status: 'Available', assignee: null, assigneeKey: null });
    await stack.database.userTaskOperation.deleteMany({ where: { taskId: task.taskId } });
    const passes = await Promise.all([maintenance.reconcile(), maintenance.reconcile()]);
    expect(passes.some(({ requeued }) => requeued === 1)).toBe(true);
    await expectAgreement(stack, task);
    expect(await operationOf(stack, task, 'claim')).toMatchObject({ status: 'Completed' });
    await task.owner.cancel();
  });

  it('ends an open row as its closed task did, with the original answer (UT-276, UT-279, UT-107)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    const open = await rowOf(stack, task);
    await send(stack, task, clerk, complete);
    const ended = await rowOf(stack, task);
    const { revision, status, updatedAt, completedAt, completedBy, completedByKey, actionKey } =
      open;
    await setBack(task, { revision, status, updatedAt, completedAt, completedByKey, actionKey });
    expect(completedBy).toBeNull();
    expect(await maintenance.reconcile()).toEqual({ ...NOTHING_REPAIRED, finalized: 1 });
    expect(await rowOf(stack, task)).toEqual(ended);
    expect((await eventsOf(stack, task)).filter(([kind]) => kind === 'Completed')).toHaveLength(1);
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    await expectAgreement(stack, task);
  });

  it('closes and flags a task whose workflow somebody terminated (UT-276, UT-396, UT-404, UT-406)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await stack.client.workflow.getHandle(task.workflowId).terminate('by hand');
    expect(await maintenance.reconcile()).toEqual({ ...NOTHING_REPAIRED, finalized: 1 });
    const row = await rowOf(stack, task);
    expect(row).toMatchObject({
      status: 'Cancelled',
      revision: 3,
      actionKey: 'Cancelled',
      completedBy: null,
    });
    expect(row.health).toMatchObject([
      { code: 'ambiguous-record', severity: 'Advisory', origin: 'outside' },
    ]);
    const events = await stack.database.userTaskEvent.findMany({
      where: { taskId: task.taskId, revision: { gte: 2 } },
      orderBy: [{ revision: 'asc' }, { ordinal: 'asc' }],
    });
    expect(events).toMatchObject([
      { eventType: 'Claimed', revision: 2, ordinal: 0 },
      {
        eventType: 'HealthChanged',
        revision: 2,
        ordinal: 1,
        actor: null,
        metadata: { code: 'ambiguous-record', raised: true },
      },
      {
        eventType: 'Cancelled',
        revision: 3,
        ordinal: 0,
        actor: null,
        operationId: null,
        metadata: { cause: 'terminated' },
      },
    ]);
    await expect(task.owner.result()).rejects.toThrow(WorkflowFailedError);
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
  });

  it('lets an operation fail that was accepted in a workflow that somebody terminated (UT-136, UT-396)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    stack.workerDatabase.cut();
    try {
      await signal(stack, task, clerk, complete);
      const handle = stack.client.workflow.getHandle(task.workflowId);
      await within(
        15_000,
        async () =>
          (await handle.query<{ record: { task: { status: string } } }>('snapshot')).record.task
            .status === 'Completing',
      );
      await handle.terminate('by hand');
    } finally {
      stack.workerDatabase.restore();
    }
    await maintenance.reconcile();
    expect(await rowOf(stack, task)).toMatchObject({
      status: 'Cancelled',
      actionKey: 'Cancelled',
      completedBy: null,
    });
    expect(await operationOf(stack, task, 'end')).toMatchObject({
      status: 'Failed',
      errorCode: 'terminated',
    });
    await expect(task.owner.result()).rejects.toThrow(WorkflowFailedError);
  });

  it('reports a transitional row that nobody can explain, leaves it alone, and goes on (UT-108, UT-276, UT-278)', async () => {
    const { stack } = maintenance;
    const [task, foreign, behind] = [await claimed(), await claimed(), await claimed()];
    await setBack(foreign, { workflowId: `user-task/other/${foreign.taskId}` });
    await stack.client.workflow.getHandle(behind.workflowId).terminate('by hand');
    await setBack(task, { status: 'Completing', actionKey: 'approve' });
    const before = await rowOf(stack, task);
    await stack.stopWorker();
    try {
      const counts = await maintenance.reconcile();
      expect(counts).toMatchObject({ ambiguous: 2, recreated: 0 });
      const { health, ...row } = await rowOf(stack, task);
      expect({ ...row, health: [] }).toEqual({ ...before, health: [] });
      expect(health).toMatchObject([{ code: 'ambiguous-record', origin: 'outside' }]);
      expect(await rowOf(stack, behind)).toMatchObject({ status: 'Cancelled' });
    } finally {
      await stack.startWorker();
    }
    await setBack(task, { status: 'Assigned', actionKey: null });
    await setBack(foreign, { workflowId: foreign.workflowId });
    await maintenance.reconcile();
    expect((await rowOf(stack, task)).health).toEqual([]);
    await task.owner.cancel();
    await foreign.owner.cancel();
    await rowThatIs(stack, task, 'Cancelled');
  }, 90_000);

  it('finishes what the row has as accepted when Temporal keeps the task no more (UT-107, UT-276)', async () => {
    const { stack } = maintenance;
    const { client, database } = stack;
    const [task, open] = [await claimed(), await claimed()];
    await send(stack, task, clerk, complete);
    const ended = await rowOf(stack, task);
    const operation = await operationOf(stack, task, 'end');
    await database.userTaskOperation.updateMany({
      where: { taskId: task.taskId, operationId: 'end' },
      data: { status: 'Accepted' },
    });
    await setBack(task, {
      revision: 3,
      status: 'Completing',
      completedAt: null,
      completedByKey: null,
    });
    await open.owner.terminate();
    await stack.client.workflow
      .getHandle(open.workflowId)
      .result()
      .catch(() => undefined);
    await setBack(open, { status: 'Assigned', completedAt: null });
    await Promise.all([task, open].map(({ workflowId }) => forget(client, workflowId)));
    const counts = await maintenance.reconcile();
    expect(counts).toMatchObject({ finalized: 1, ambiguous: 1 });
    const {
      status,
      revision,
      completedBy,
      actionKey,
      protected: content,
    } = await rowOf(stack, task);
    expect({ status, revision, completedBy, actionKey, content }).toEqual({
      status: 'Completed',
      revision: 4,
      completedBy: ended.completedBy,
      actionKey: 'approve',
      content: ended.protected,
    });
    expect(await operationOf(stack, task, 'end')).toMatchObject({
      status: 'Completed',
      subject: operation?.subject,
    });
    expect((await eventsOf(stack, task)).filter(([kind]) => kind === 'Completed')).toHaveLength(1);
    expect(await rowOf(stack, open)).toMatchObject({ status: 'Assigned' });
    await setBack(open, { completedAt: new Date(), status: 'Cancelled' });
  }, 150_000);
});
