import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { taskIdOf, taskWorkflowId } from '../../domain/ids';
import { isRecord } from '../../domain/json';
import { CLERKS, OTHER_TENANT, TENANT, user } from '../builders/people';
import { within } from '../harness/within';
import { snapshotQuery } from '../../workflows/messages';
import { createOwnerStack, manager, type OwnerStack } from './owner-stack';

let owners: OwnerStack;
beforeAll(async () => {
  owners = await createOwnerStack();
}, 120_000);
afterAll(() => owners.close());

async function onlyTask(owner: Parameters<OwnerStack['raisedBy']>[0]) {
  const [taskId] = await owners.raisedBy(owner);
  return taskId!;
}

describe('the answer of a user task', () => {
  it('is typed by the action that was chosen, with its normalised data (UT-261, UT-262, UT-267)', async () => {
    const owner = await owners.start('decides');
    const taskId = await onlyTask(owner);
    await owners.claimAndComplete(taskId, 'approve', { amount: 12.5 });
    expect(await owner.result()).toMatchObject({
      action: 'approve',
      actionKey: 'approve',
      data: { amount: 12.5, costCentre: 'none' },
      completedBy: { tenantId: TENANT, id: 'clerk' },
      taskId,
      told: '12.5 to none',
    });
  });

  it('has no data where the action takes none (UT-262)', async () => {
    const owner = await owners.start('decides');
    await owners.claimAndComplete(await onlyTask(owner), 'ask');
    expect(await owner.result()).toMatchObject({ action: 'ask', data: null, told: 'null' });
  });

  it('never holds data that the schema of the action refuses (UT-392)', async () => {
    const owner = await owners.start('decides');
    const taskId = await onlyTask(owner);
    await expect(owners.claimAndComplete(taskId, 'reject', { reason: 'no' })).rejects.toThrow();
    expect((await owners.rowOf(taskId)).status).toBe('Assigned');
    await owners.send(taskId, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'again',
      actionKey: 'reject',
      data: { reason: 'wrong supplier' },
    });
    expect(await owner.result()).toMatchObject({ action: 'reject', told: 'wrong supplier' });
  });

  it('is Timeout when the task was due first and the definition enables it (UT-263)', async () => {
    const dueAt = new Date(Date.now() + 500);
    const owner = await owners.start('decides', {
      title: 'Soon due',
      candidateGroups: [CLERKS],
      dueAt,
    });
    expect(await owner.result()).toMatchObject({
      action: 'Timeout',
      data: null,
      completedBy: null,
    });
  });

  it('is Cancelled, with the manager, when a manager ended the task: no exception (UT-263, UT-265)', async () => {
    const owner = await owners.start('decides');
    const cancel = {
      kind: 'cancel',
      expectedRevision: 1,
      operationId: 'cancel',
      reason: 'twice',
    } as const;
    await owners.send(await onlyTask(owner), cancel, manager);
    expect(await owner.result()).toMatchObject({
      action: 'Cancelled',
      data: null,
      completedBy: { id: 'manager' },
    });
  });

  it('is Complete where no action is configured (UT-079)', async () => {
    const owner = await owners.start('completes');
    await owners.claimAndComplete(await onlyTask(owner), 'Complete');
    expect(await owner.result()).toMatchObject({
      action: 'Complete',
      actionKey: 'Complete',
      data: null,
    });
  });

  it('arrives once, also when no worker of the owner ran when it was given (UT-266)', async () => {
    const owner = await owners.start('decides');
    const taskId = await onlyTask(owner);
    await owners.stopOwners();
    await owners.claimAndComplete(taskId, 'approve', { amount: 1 });
    expect(await owners.taskStatus(taskId)).toBe('COMPLETED');
    await owners.startOwners();
    expect(await owner.result()).toMatchObject({ action: 'approve', taskId });
  });
});

describe('a task that is raised', () => {
  it('carries definition, input and its owner (UT-014, UT-022, UT-383)', async () => {
    const owner = await owners.start('decides', {
      title: 'Invoice 4711',
      reference: 'INV-4711',
      candidateGroups: [{ provider: CLERKS.provider, type: 'group', id: CLERKS.id }],
      dueAt: '2030-01-02T03:04:05+01:00',
    });
    const taskId = await onlyTask(owner);
    const { record } = await owners.stack.client.workflow
      .getHandle(taskWorkflowId(TENANT, taskId))
      .query(snapshotQuery);
    const { task } = record;
    expect(task.inputs).toMatchObject({
      title: 'Invoice 4711',
      reference: 'INV-4711',
      taskType: 'invoice',
      priority: 70,
      dueAt: '2030-01-02T02:04:05.000Z',
      candidateGroups: [{ ...CLERKS, displayName: null }],
      enableTimeoutOutcome: true,
      enableCancellationOutcome: true,
    });
    expect(task.inputs.actions.map(({ key }) => key)).toEqual(['reject', 'approve', 'ask']);
    expect(task.inputs.actions[1]).toMatchObject({
      label: 'Approve',
      metadata: { colour: 'green' },
    });
    expect(task.owner).toMatchObject({
      workflowId: owner.workflowId,
      definitionId: 'decides',
      definitionName: 'decides',
      instanceReference: 'order-1042',
      activityInstanceId: taskId.slice('task_'.length),
    });
  });

  it('shows its title in the Temporal UI, cut to what Temporal keeps', async () => {
    const owner = await owners.start('completes', {
      title: '€'.repeat(500),
      candidateGroups: [CLERKS],
    });
    const taskId = await onlyTask(owner);
    const handle = owners.stack.client.workflow.getHandle(taskWorkflowId(TENANT, taskId));
    const { staticSummary } = await handle.describe();
    expect(await staticSummary()).toBe('€'.repeat(66));
    await owner.terminate();
  });
});

describe('a refused task', () => {
  const input = { title: 'x', candidateGroups: [CLERKS] };
  const stranger = user('eve', { tenantId: OTHER_TENANT });
  // What JSON does not carry, or an owner's start could not, the owner makes itself of `more`.
  it.each([
    ['a blank title', 'invalid-definition', { ...input, title: ' ' }, {}],
    [
      'a day that does not exist',
      'invalid-definition',
      { ...input, dueAt: '2030-02-31T00:00:00Z' },
      {},
    ],
    ['a date out of range', 'invalid-definition', input, { dueMs: 9e15 }],
    ['a group among the users', 'invalid-definition', { title: 'x', candidateUsers: [CLERKS] }, {}],
    ['long instructions', 'payload-too-large', { ...input, instructions: 'a'.repeat(262_145) }, {}],
    ['data that Temporal would not take', 'payload-too-large', input, { repeat: 3_000_000 }],
    ['another tenant', 'cross-tenant-participant', { title: 'x', excludedUsers: [stranger] }, {}],
  ])(
    'fails the await with a code that the owner can catch: %s (UT-032)',
    async (_what, code, given, more) => {
      const owner = await owners.start('isRefused', given, more);
      expect(await owner.result()).toMatchObject({ code });
      const where = { ownerWorkflowId: owner.workflowId };
      expect(await owners.stack.database.userTask.count({ where })).toBe(0);
    },
  );

  it('has no owner: the workflow refuses to run without a parent (UT-380, UT-419)', async () => {
    const uuid = randomUUID();
    const taskId = taskIdOf(uuid);
    const failed = owners.stack.client.workflow.execute('userTask', {
      workflowId: taskWorkflowId(TENANT, taskId),
      taskQueue: owners.stack.taskQueue,
      args: [
        {
          tenantId: TENANT,
          taskId,
          activityInstanceId: uuid,
          inputs: { title: 'Nobody asked' },
          ownerDefinition: { id: 'none', name: 'none', version: null, instanceReference: null },
        },
      ],
    });
    await expect(failed).rejects.toMatchObject({ cause: { type: 'owner-required' } });
    await expect(failed).rejects.toBeInstanceOf(WorkflowFailedError);
    expect(await owners.stack.database.userTask.count({ where: { id: taskId } })).toBe(0);
  });
});

describe('the end of a wait', () => {
  async function cancelledByOwner(taskId: Parameters<OwnerStack['rowOf']>[0]) {
    await within(10_000, async () => (await owners.rowOf(taskId)).status === 'Cancelled');
    const event = await owners.stack.database.userTaskEvent.findFirstOrThrow({
      where: { taskId, eventType: 'Cancelled' },
    });
    expect(isRecord(event.metadata) && event.metadata['cause']).toBe('owner');
    await within(10_000, async () => (await owners.taskStatus(taskId)) === 'CANCELLED');
  }

  it('by cancelling the owner cancels the task, and the owner sees the cancellation (UT-107, UT-265, UT-375)', async () => {
    const owner = await owners.start('waits');
    const taskId = await onlyTask(owner);
    await owner.cancel();
    await expect(owner.result()).rejects.toThrow(WorkflowFailedError);
    expect((await owner.describe()).status.name).toBe('CANCELLED');
    await cancelledByOwner(taskId);
  });

  it('cancels the losers of a race and no others (UT-396)', async () => {
    const owner = await owners.start('races');
    const [first, second] = await owners.raisedBy(owner, 2);
    await owners.claimAndComplete(second!, 'Complete');
    expect(await owner.result()).toEqual({ winner: second, losers: ['CancelledFailure'] });
    expect((await owners.rowOf(second!)).status).toBe('Completed');
    await cancelledByOwner(first!);
  });

  it('may be forgotten: its promise fails nobody (UT-396)', async () => {
    const owner = await owners.start('forgets');
    const taskId = await onlyTask(owner);
    await owner.signal('proceed');
    await cancelledByOwner(taskId);
    const other = await within(10_000, () =>
      owners.stack.database.userTask.findFirst({
        where: { ownerWorkflowId: owner.workflowId, status: 'Available' },
      }),
    );
    await owners.claimAndComplete(other.id as typeof taskId, 'Complete');
    expect(await owner.result()).toBe('went on');
  });

  it('does not undo an answer that was accepted before (UT-110, UT-114)', async () => {
    const owner = await owners.start('givesUp');
    const taskId = await onlyTask(owner);
    await owners.stopOwners();
    await owners.claimAndComplete(taskId, 'Complete');
    await owner.signal('giveUp');
    await owners.startOwners();
    expect(await owner.result()).toMatchObject({ action: 'Complete', taskId });
  });

  it.each(['return', 'failure', 'continueAsNew'] as const)(
    'comes with every end of the owner: %s (UT-396)',
    async (by) => {
      const owner = await owners.start('leaves', undefined, { by });
      const taskId = await onlyTask(owner);
      await owner.signal('proceed');
      await cancelledByOwner(taskId);
      if (by === 'continueAsNew') await owner.terminate();
    },
  );

  it('comes with every end of the owner: termination (UT-396)', async () => {
    const owner = await owners.start('waits');
    const taskId = await onlyTask(owner);
    await owner.terminate();
    await cancelledByOwner(taskId);
  });

  it('is seen as a failure when the task was ended from outside', async () => {
    const owner = await owners.start('waits');
    const taskId = await onlyTask(owner);
    await owners.stack.client.workflow.getHandle(taskWorkflowId(TENANT, taskId)).terminate();
    expect(await owner.result()).toBe('ChildWorkflowFailure');
  });
});
