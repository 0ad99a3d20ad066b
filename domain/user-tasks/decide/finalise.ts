import { evolve, isTransitional, type TaskState, type TransitionEvent } from '../task';
import { assertNever } from '../../assert-never';
import type { Decision, DecisionContext, TaskRecord } from './decision';

/** The terminal event that ends the transition which `requested` begins, with a revision of its own. @see UT-103, UT-112 */
export function finalised(task: TaskState, requested: TransitionEvent): readonly TransitionEvent[] {
  return [terminalEvent(evolve(task, requested), requested.occurredAt, requested.operationId)];
}

/** Ends a transition that could not end in the step that began it. */
export function finalise(record: TaskRecord, context: DecisionContext): Decision {
  const operation =
    record.operations.find(
      ({ kind, status }) => status === 'Accepted' && kind !== 'RetryResolution',
    ) ?? null;
  if (!isTransitional(record.task.status))
    throw new Error(`a task that is ${record.task.status} cannot be finalised`);
  const event = terminalEvent(record.task, context.now, operation?.operationId ?? null);
  return {
    kind: 'accepted',
    events: [event],
    operation: operation === null ? null : settled(operation, event),
  };
}

/** An accepted terminal operation once its task is closed. @see UT-112 */
export function settled(
  operation: TaskRecord['operations'][number],
  event: TransitionEvent,
): TaskRecord['operations'][number] {
  return {
    ...operation,
    status: 'Completed',
    revision: event.revision,
    updatedAt: event.occurredAt,
  };
}

function terminalEvent(
  task: TaskState,
  now: TransitionEvent['occurredAt'],
  operationId: string | null,
): TransitionEvent {
  const base = {
    revision: task.revision + 1,
    occurredAt: now,
    actor: task.outcome?.completedBy ?? null,
    operationId,
    reason: null,
  };
  switch (task.status) {
    case 'Completing':
      return { ...base, kind: 'Completed', actionKey: task.outcome.actionKey };
    case 'TimingOut':
      return { ...base, kind: 'TimedOut', actionKey: task.outcome.actionKey };
    case 'Cancelling':
      return { ...base, kind: 'Cancelled', actionKey: task.outcome.actionKey, cause: 'manager' };
    case 'Unassigned':
    case 'Available':
    case 'Assigned':
    case 'Completed':
    case 'TimedOut':
    case 'Cancelled':
      throw new Error(`a task that is ${task.status} is in no transition`);
    default:
      return assertNever(task);
  }
}
