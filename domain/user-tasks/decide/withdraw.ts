import type { SystemCommand } from '../commands';
import { isTerminal, isTransitional } from '../task';
import { rejection } from '../rejection';
import { finalise } from './finalise';
import type { Decision, DecisionContext, TaskRecord } from './decision';

/**
 * The owner ended, was cancelled or gave up its wait: an accepted terminal operation wins, anything else that is open
 * ends as cancelled.
 * @see UT-107, UT-114, UT-396
 */
export function withdraw(
  record: TaskRecord,
  command: Extract<SystemCommand, { kind: 'withdraw' }>,
  context: DecisionContext): Decision {
  const { task } = record;
  if (isTransitional(task.status)) return finalise(record, context);
  if (isTerminal(task.status)) return { kind: 'rejected', rejection: rejection('terminal', 'The task is closed.') };
  const event = {
    revision: task.revision + 1,
    occurredAt: context.now,
    actor: null,
    operationId: null,
    reason: null,
    kind: 'Cancelled' as const,
    actionKey: 'Cancelled',
    cause: command.cause,
  };
  return { kind: 'accepted', events: [event], operation: null };
}
