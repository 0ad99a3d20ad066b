import type { WorkflowHandle } from '@temporalio/client';
import { raiseIssue } from '../../activities/user-tasks/outside-issues';
import { NOTHING_REPAIRED } from '../../activities/maintenance/maintenance-activities';
import { CLERKS } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  operationOf,
  rowOf,
  rowThatIs,
  send,
} from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { createMaintenanceStack, type MaintenanceStack } from './maintenance-stack';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS] };

describe('repair of what an operator has reset and of what waits too long', () => {
  let maintenance: MaintenanceStack;
  beforeAll(async () => {
    maintenance = await createMaintenanceStack();
  }, 120_000);
  afterAll(() => maintenance.close());

  const claimed = async (): Promise<RaisedTask> => {
    const task = await maintenance.stack.raise(input);
    await send(maintenance.stack, task, clerk, { kind: 'claim', operationId: 'claim' });
    return task;
  };

  /** Resets a workflow to the end of its first or last completed workflow task. */
  async function reset(
    { workflowId }: Pick<WorkflowHandle, 'workflowId'>,
    to: 'first' | 'last',
  ): Promise<void> {
    const { client } = maintenance.stack;
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const ends = (events ?? []).filter(
      ({ workflowTaskCompletedEventAttributes }) =>
        (workflowTaskCompletedEventAttributes ?? null) !== null,
    );
    const end = to === 'first' ? ends[0] : ends.at(-1);
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      workflowTaskFinishEventId: end?.eventId ?? null,
      requestId: `${workflowId}-${to}`,
      reason: 'a test',
    });
  }

  it('lets the row follow a task that an operator has reset (UT-397, UT-276, UT-279)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await reset(task, 'first');
    await within(15_000, async () => (await maintenance.reconcile()).requeued === 1);
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available', revision: 1, epoch: 2 });
    expect((await eventsOf(stack, task)).map(([kind]) => kind)).toContain('Rewound');
    expect(await operationOf(stack, task, 'claim')).toMatchObject({
      status: 'Failed',
      errorCode: 'rewound',
    });
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
    await task.owner.cancel();
  });

  it('cancels a task that no owner awaits since its owner was reset, and keeps the new one (UT-276, UT-396)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await reset(task.owner, 'first');
    const [old, fresh] = await stack.tasksOf(task.owner.workflowId, 2);
    expect(old).toMatchObject({ taskId: task.taskId });
    expect(await maintenance.reconcile()).toEqual({ ...NOTHING_REPAIRED, cancelled: 1 });
    await rowThatIs(stack, task, 'Cancelled');
    const [ended] = await stack.database.userTaskEvent.findMany({
      where: { taskId: task.taskId, eventType: 'Cancelled' },
    });
    expect(ended).toMatchObject({ metadata: { cause: 'owner' }, actor: null });
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
    expect(await rowOf(stack, fresh!)).toMatchObject({ status: 'Available' });
    await expectAgreement(stack, fresh!);
    await stack.client.workflow.getHandle(task.owner.workflowId).cancel();
  });

  it('keeps a task that its owner awaits still after it was reset (UT-396, UT-261)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await reset(task.owner, 'last');
    expect(await maintenance.reconcile()).toEqual(NOTHING_REPAIRED);
    await send(stack, task, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'end' });
    const owner = stack.client.workflow.getHandle(task.owner.workflowId);
    expect(await owner.result()).toMatchObject({ actionKey: 'approve', taskId: task.taskId });
  });

  it('flags an operation that waits past the limit until it is settled (UT-277, UT-165, UT-404, UT-406)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    const pending = (await operationOf(stack, task, 'claim'))!;
    const hourAgo = new Date(Date.now() - 3_600_000);
    await stack.database.userTaskOperation.create({
      data: {
        ...pending,
        subject: {},
        command: {},
        operationId: 'lost',
        status: 'Pending',
        revision: null,
        via: 'signal',
        createdAt: hourAgo,
      },
    });
    await maintenance.reconcile();
    const flagged = await rowOf(stack, task);
    expect(flagged).toMatchObject({
      revision: 2,
      health: [{ code: 'stale-transition', severity: 'Advisory', origin: 'outside' }],
    });
    await maintenance.reconcile();
    expect((await rowOf(stack, task)).health).toEqual(flagged.health);

    await stack.database.userTaskOperation.updateMany({
      where: { operationId: 'lost' },
      data: { status: 'Rejected' },
    });
    await maintenance.reconcile();
    expect(await rowOf(stack, task)).toMatchObject({ revision: 2, health: [] });
    const changes = await stack.database.userTaskEvent.findMany({
      where: { taskId: task.taskId, eventType: 'HealthChanged' },
      orderBy: { ordinal: 'asc' },
    });
    expect(changes).toMatchObject([
      { revision: 2, ordinal: 1, metadata: { code: 'stale-transition', raised: true } },
      { revision: 2, ordinal: 2, metadata: { code: 'stale-transition', raised: false } },
    ]);
    const told = await stack.database.userTaskNotification.findMany({
      where: { taskId: task.taskId, type: 'UserTaskHealthChanged' },
    });
    expect(told).toMatchObject([
      { revision: 2, status: 'Assigned' },
      { revision: 2, status: 'Assigned' },
    ]);
    await send(stack, task, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'end' });
  });

  it('keeps through a rebuild what was seen from outside (UT-406)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await raiseIssue(
      stack.database,
      { tenantId: 'acme', taskId: task.taskId },
      'participant-display-unknown',
    );
    await stack.database.userTask.updateMany({ where: { id: task.taskId }, data: { revision: 1 } });
    await maintenance.reconcile();
    expect(await rowOf(stack, task)).toMatchObject({
      revision: 2,
      health: [{ code: 'participant-display-unknown' }],
    });
    await send(stack, task, clerk, { kind: 'release', expectedRevision: 2 });
    expect(await rowOf(stack, task)).toMatchObject({
      revision: 3,
      health: [{ code: 'participant-display-unknown' }],
    });
    await task.owner.cancel();
  });
});
