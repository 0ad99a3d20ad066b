import {
  receiptOf,
  receiptOfOperation,
  projectionOf,
  resultOf,
  type Receipt,
} from '../../../domain/user-tasks/receipt';
import type { TransitionEvent } from '../../../domain/user-tasks/task';
import { complete } from '../../builders/commands';
import { clerk, CLERKS, manager } from '../../builders/people';
import {
  enumerating,
  notEnumerating,
  pinnedForm,
  pinning,
  REVIEW_FORM,
} from '../../builders/resolution';
import {
  aTask,
  aTaskThatIs,
  CREATED_AT,
  later,
  TASK_ID,
  type TaskBuilder,
} from '../../builders/task';

const RUN = { runId: 'run-2', lineage: ['run-1'] };
const SECRET = 'CANARY-4711';

/** A task whose every protected field holds the canary, completed with a canary. */
function secretive(): TaskBuilder {
  return aTask({
    instructions: SECRET,
    taskData: { amount: SECRET },
    actions: [{ key: 'ok', label: 'OK', metadata: null, schema: true }],
  }).claimedBy(clerk);
}

function lastReceipt(before: TaskBuilder, after: TaskBuilder): Receipt {
  const events = after.events.slice(before.events.length) as readonly TransitionEvent[];
  return receiptOf(after.record, events, after.record.operations.at(-1) ?? null, RUN);
}

describe('a receipt', () => {
  it('holds the new events, the operation and the changing part of the task (UT-153)', () => {
    const before = aTask();
    const after = before.claimedBy(clerk, { operationId: 'once' });

    expect(lastReceipt(before, after)).toEqual({
      tenantId: 'acme',
      taskId: TASK_ID,
      run: RUN,
      events: [
        {
          revision: 2,
          kind: 'Claimed',
          status: 'Assigned',
          occurredAt: before.now,
          actor: clerk.subject,
          assignee: clerk.subject,
          operationId: 'once',
          reason: null,
          metadata: null,
        },
      ],
      operation: after.record.operations[0],
      task: projectionOf(after.task),
    });
  });

  it('of a completion holds both revisions (UT-114, UT-153)', () => {
    const before = aTask().claimedBy(clerk);
    const receipt = lastReceipt(before, before.completed());

    expect(receipt.events.map(({ kind, revision }) => [kind, revision])).toEqual([
      ['CompletionRequested', 3],
      ['Completed', 4],
    ]);
    expect(receipt.task).toMatchObject({ status: 'Completed', revision: 4 });
  });

  it('carries completion data once, where they are protected, and never the frozen inputs (UT-145)', () => {
    const before = secretive();
    const after = before.completed({ actionKey: 'ok', data: { note: SECRET } });
    const { response, ...rest } = lastReceipt(before, after);

    expect(response).toEqual({ note: SECRET });
    expect(JSON.stringify(rest)).not.toContain(SECRET);
    expect(lastReceipt(aTask(), secretive())).not.toHaveProperty('response');
  });

  it('of a completion without data says null, not nothing', () => {
    const before = aTask().claimedBy(clerk);

    expect(lastReceipt(before, before.completed()).response).toBeNull();
  });

  it('can be made again from what the task remembers', () => {
    const before = secretive();
    const accepted = before.completed({ actionKey: 'ok', data: { note: SECRET } });
    const operation = accepted.record.operations.at(-1)!;

    expect(receiptOfOperation(accepted.record, operation, RUN)).toEqual(
      lastReceipt(before, accepted),
    );
  });

  it('made again holds the events of its operation only, and the task as it is now', () => {
    const task = aTask().claimedBy(clerk, { operationId: 'first' }).releasedBy(clerk);
    const operation = task.record.operations.find(({ operationId }) => operationId === 'first')!;
    const receipt = receiptOfOperation(task.record, operation, RUN);

    expect(receipt.events.map(({ kind }) => kind)).toEqual(['Claimed']);
    expect(receipt.task).toMatchObject({ status: 'Available', revision: 3 });
    expect(receipt).not.toHaveProperty('response');
  });
});

describe('the receipt of a repair', () => {
  const form = pinnedForm({ metadata: { secret: SECRET } });
  const failed = { form: { failure: 'form-provider-missing' as const } };
  const raised = aTask(
    { form: REVIEW_FORM, membershipResolutionMode: 'Snapshot' },
    { resolution: { ...failed, ...notEnumerating() } },
  );

  it('that only accepts it has no event and leaves the revision (UT-167)', () => {
    const receipt = lastReceipt(raised, raised.retrying());

    expect(receipt).toMatchObject({ events: [], task: { revision: 1 } });
    expect(receipt.operation).toMatchObject({ kind: 'RetryResolution', status: 'Accepted' });
    expect(receipt).not.toHaveProperty('form');
  });

  it('carries the pinned form and names the list of members, apart from its events (UT-157)', () => {
    const before = raised.retrying();
    const repaired = before.resolved({ ...pinning(form), ...enumerating(1) });
    const { form: pinned, ...rest } = lastReceipt(before, repaired);

    expect(pinned).toEqual(form);
    expect(rest.snapshotId).toBe('members-1');
    expect(JSON.stringify(rest)).not.toContain(SECRET);
  });

  it('carries nothing where nothing was found', () => {
    const before = raised.retrying();
    const receipt = lastReceipt(before, before.resolved(failed));

    expect(receipt).not.toHaveProperty('form');
    expect(receipt).not.toHaveProperty('snapshotId');
  });

  it('can be made again from what the task remembers (UT-400)', () => {
    const before = raised.retrying();
    const repaired = before.resolved({ ...pinning(form), ...enumerating(1) });
    const operation = repaired.record.operations.at(-1)!;

    expect(receiptOfOperation(repaired.record, operation, RUN)).toEqual(
      lastReceipt(before, repaired),
    );
  });
});

describe('the projection of a task', () => {
  it('is the part that changes, without anything protected (UT-145)', () => {
    const task = secretive().completed({ actionKey: 'ok', data: SECRET });

    expect(projectionOf(task.task)).toEqual({
      revision: 4,
      status: 'Completed',
      priority: 50,
      dueAt: null,
      updatedAt: task.task.updatedAt,
      assignee: clerk.subject,
      assignedAt: later(CREATED_AT, 0),
      completedAt: task.task.updatedAt,
      completedBy: clerk.subject,
      actionKey: 'ok',
      health: [],
    });
  });

  it('names who completed only once it is completed', () => {
    expect(projectionOf(aTaskThatIs('Completing').task)).toMatchObject({
      completedBy: null,
      completedAt: null,
      actionKey: 'Complete',
    });
    expect(projectionOf(aTask().task)).toMatchObject({
      assignee: null,
      assignedAt: null,
      actionKey: null,
    });
  });
});

describe('what the owner receives', () => {
  it('is the action with its data, by whom and when (UT-261, UT-262)', () => {
    const { task } = secretive().completed({ actionKey: 'ok', data: { a: 1 } });

    expect(resultOf(task)).toEqual({
      taskId: TASK_ID,
      actionKey: 'ok',
      data: { a: 1 },
      completedBy: clerk.subject,
      completedAt: task.completedAt,
    });
  });

  it('is Timeout by nobody, or Cancelled by the manager, without data (UT-263)', () => {
    expect(resultOf(aTaskThatIs('TimedOut').task)).toMatchObject({
      actionKey: 'Timeout',
      data: null,
      completedBy: null,
    });
    expect(resultOf(aTaskThatIs('Cancelled').task)).toMatchObject({
      actionKey: 'Cancelled',
      data: null,
      completedBy: manager.subject,
    });
  });

  it.each(['Available', 'Assigned', 'Completing', 'TimingOut', 'Cancelling'] as const)(
    'is nothing yet while the task is %s',
    (status) => {
      expect(() => resultOf(aTaskThatIs(status).task)).toThrow(status);
    },
  );

  it('is decided with the acceptance: the end of the transition changes nothing about it (UT-114)', () => {
    const completing = aTask({ candidateGroups: [CLERKS] })
      .claimedBy(clerk)
      .completing();

    expect(completing.withdrawn().task.outcome).toEqual(completing.finalised().task.outcome);
    expect(completing.when(complete, clerk).kind).toBe('rejected');
  });
});
