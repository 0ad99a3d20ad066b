import { millisOf } from '../../instant';
import type { SystemCommand } from '../commands';
import { isTerminal, isTransitional, type TransitionEvent } from '../task';
import { TIMEOUT_ID_PREFIX } from '../operation';
import { timeoutHash } from '../request-hash';
import { rejection } from '../rejection';
import type { Decision, DecisionContext, TaskRecord } from './decision';

/** Operation id of a timeout: fixed by task and revision, so that repeating it changes nothing. @see UT-130 */
export function timeoutOperationId(taskId: string, expectedRevision: number): string {
  return `${TIMEOUT_ID_PREFIX}${taskId}:${expectedRevision}`;
}

/**
 * The due date has elapsed: a timeout where the step enabled it, else one notice per occurrence. A task in transition or
 * closed ignores it.
 * @see UT-104, UT-105, UT-127, UT-133
 */
export function expire(
  record: TaskRecord,
  command: Extract<SystemCommand, { kind: 'expire' }>,
  context: DecisionContext,
): Decision {
  const { task } = record;
  if (task.dueAt !== command.dueAt || millisOf(task.dueAt) > millisOf(context.now)) {
    return { kind: 'rejected', rejection: rejection('timeout-not-due', 'The task is not due.') };
  }
  if (isTerminal(task.status) || isTransitional(task.status)) {
    return {
      kind: 'rejected',
      rejection: rejection('transition-in-progress', 'The task is closed or being closed.'),
    };
  }
  const base = { revision: task.revision + 1, occurredAt: context.now, actor: null, reason: null };
  if (!task.inputs.enableTimeoutOutcome) {
    if (task.overdueNotified)
      return {
        kind: 'rejected',
        rejection: rejection('timeout-not-due', 'The task was announced as overdue.'),
      };
    return {
      kind: 'accepted',
      events: [{ ...base, operationId: null, kind: 'OverdueNotified' }],
      operation: null,
    };
  }
  const operationId = timeoutOperationId(task.taskId, task.revision);
  const hash = timeoutHash(task.revision, command.dueAt);
  const event: TransitionEvent = { ...base, operationId, kind: 'TimeoutRequested' };
  return {
    kind: 'accepted',
    events: [event],
    operation: {
      operationId,
      kind: 'Timeout',
      subject: null,
      requestHash: hash,
      receivedHash: hash,
      expectedRevision: task.revision,
      status: 'Accepted',
      errorCode: null,
      actionKey: 'Timeout',
      revision: event.revision,
      createdAt: context.now,
      updatedAt: context.now,
    },
  };
}
