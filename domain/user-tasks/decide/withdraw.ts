import type { Instant } from '../../instant';
import type { SystemCommand } from '../commands';
import type { OperationRecord } from '../operation';
import { isTerminal, isTransitional } from '../task';
import { rejection } from '../rejection';
import { finalise } from './finalise';
import type { Decision, DecisionContext, TaskRecord } from './decision';

/**
 * The owner ended, was cancelled or gave up its wait: an accepted terminal operation wins, anything else that is open
 * ends as cancelled. Where the task's own workflow was ended from outside, no owner received what was accepted, so that
 * the task is cancelled all the same and the operation has failed.
 * @see UT-107, UT-114, UT-136, UT-396
 */
export function withdraw(
  record: TaskRecord,
  command: Extract<SystemCommand, { kind: 'withdraw' }>,
  context: DecisionContext,
): Decision {
  const { task } = record;
  const { cause } = command;
  if (cause === 'owner' && isTransitional(task.status)) return finalise(record, context);
  if (isTerminal(task.status))
    return { kind: 'rejected', rejection: rejection('terminal', 'The task is closed.') };
  const event = {
    revision: task.revision + 1,
    occurredAt: context.now,
    actor: null,
    operationId: null,
    reason: null,
    kind: 'Cancelled' as const,
    actionKey: 'Cancelled',
    cause,
  };
  const undone =
    cause === 'terminated'
      ? record.operations.find(({ status }) => status === 'Accepted')
      : undefined;
  return {
    kind: 'accepted',
    events: [event],
    operation: undone === undefined ? null : failed(undone, event),
  };
}

function failed(
  operation: OperationRecord,
  { occurredAt, revision }: { occurredAt: Instant; revision: number },
): OperationRecord {
  return {
    ...operation,
    status: 'Failed',
    errorCode: 'terminated',
    revision,
    updatedAt: occurredAt,
  };
}
