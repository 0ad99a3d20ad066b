import { assertNever } from '../assert-never';
import type { EventRecord } from './event-record';
import type { TaskStatus } from './task';

/** What hosts, webhooks and inboxes may be told about a task. @see UT-268 */
export const NOTIFICATION_TYPES = [
  'UserTaskCreated',
  'UserTaskChanged',
  'UserTaskCompletionAccepted',
  'UserTaskCompleted',
  'UserTaskTimedOut',
  'UserTaskCancelled',
  'UserTaskOverdue',
  'UserTaskHealthChanged',
] as const;

export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** What a live stream says of a change: enough to ask again, nothing to apply. @see UT-273 */
export type StreamKind =
  | 'task.created'
  | 'task.updated'
  | 'task.claimed'
  | 'task.released'
  | 'task.assigned'
  | 'task.completed'
  | 'task.cancelled'
  | 'task.expired';

/** One thing to be told; status and revision are those of the transition it reports. Safe content only. */
export interface TaskNotification {
  readonly type: NotificationType;
  readonly revision: number;
  readonly status: TaskStatus;
  readonly occurredAt: string;
  readonly streamKind: StreamKind;
  readonly changedFields: readonly string[];
  readonly operationId: string | null;
}

/** What an event gives to tell, in this order. @see UT-268, UT-270, UT-398 */
export function notificationsOf(event: EventRecord): readonly TaskNotification[] {
  const told = (
    type: NotificationType,
    streamKind: StreamKind,
    ...changedFields: string[]
  ): TaskNotification => ({
    type,
    revision: event.revision,
    status: event.status,
    occurredAt: event.occurredAt,
    streamKind,
    changedFields,
    operationId: type === 'UserTaskCompletionAccepted' ? event.operationId : null,
  });
  switch (event.kind) {
    case 'Created':
      return [told('UserTaskCreated', 'task.created')];
    case 'Claimed':
      return [told('UserTaskChanged', 'task.claimed', 'claim')];
    case 'Released':
      return [told('UserTaskChanged', 'task.released', 'release')];
    case 'Assigned':
    case 'Reassigned':
      return [told('UserTaskChanged', 'task.assigned', 'assign')];
    case 'ScheduleUpdated':
      return [told('UserTaskChanged', 'task.updated', 'scheduleUpdate')];
    case 'OverdueNotified':
      return [told('UserTaskOverdue', 'task.updated')];
    case 'CompletionRequested':
      return [
        told('UserTaskCompletionAccepted', 'task.updated'),
        told('UserTaskChanged', 'task.updated', 'completionRequested'),
      ];
    case 'Completed':
      return [told('UserTaskCompleted', 'task.completed')];
    case 'TimeoutRequested':
      return [
        told('UserTaskChanged', 'task.updated', 'timeoutRequested'),
        told('UserTaskOverdue', 'task.updated'),
      ];
    case 'TimedOut':
      return [told('UserTaskTimedOut', 'task.expired')];
    case 'CancellationRequested':
      return [told('UserTaskChanged', 'task.updated', 'cancellationRequested')];
    case 'Cancelled':
      return [told('UserTaskCancelled', 'task.cancelled')];
    case 'ResolutionRetried':
      return [told('UserTaskHealthChanged', 'task.updated')];
    default:
      return assertNever(event.kind);
  }
}
