import { assertNever } from '../assert-never';
import type { Instant } from '../instant';
import type { Json } from '../json';
import type { ParticipantReference } from './participant';
import type { TaskEvent, TaskEventKind, TaskState, TaskStatus } from './task';

/** An event as it is stored: safe content only. @see UT-152, UT-154, UT-157 */
export interface EventRecord {
  readonly revision: number;
  readonly kind: TaskEventKind;
  /** Status of the task once the event was applied. */
  readonly status: TaskStatus;
  readonly occurredAt: Instant;
  readonly actor: ParticipantReference | null;
  /** Whom the event made the assignee, so that their access to the closed task can be told. */
  readonly assignee: ParticipantReference | null;
  readonly operationId: string | null;
  readonly reason: string | null;
  readonly metadata: Json;
}

/** The stored form of an event, without its protected content. */
export function eventRecordOf(event: TaskEvent, after: Pick<TaskState, 'status'>): EventRecord {
  const { revision, kind, occurredAt, actor, operationId, reason } = event;
  const { status } = after;
  return {
    revision,
    kind,
    status,
    occurredAt,
    actor,
    assignee: assigneeOf(event),
    operationId,
    reason,
    metadata: metadataOf(event),
  };
}

function assigneeOf(event: TaskEvent): ParticipantReference | null {
  switch (event.kind) {
    case 'Claimed':
    case 'Assigned':
    case 'Reassigned':
      return event.assignee;
    case 'Created':
      return event.status === 'Assigned' ? event.inputs.assignee : null;
    default:
      return null;
  }
}

function metadataOf(event: TaskEvent): Json {
  switch (event.kind) {
    case 'Completed':
    case 'TimedOut':
    case 'CompletionRequested':
      return { actionKey: event.actionKey };
    case 'Cancelled':
      return { actionKey: event.actionKey, cause: event.cause };
    case 'ScheduleUpdated':
      return { changed: event.changed };
    case 'Assigned':
    case 'Reassigned':
      return event.exclusionOverridden ? { exclusionOverridden: true } : null;
    case 'Created':
    case 'Claimed':
    case 'Released':
    case 'OverdueNotified':
    case 'TimeoutRequested':
    case 'CancellationRequested':
    case 'ResolutionRetried':
      return null;
    default:
      return assertNever(event);
  }
}

/**
 * How many events an open task remembers, enough to rebuild what a dead sender left unprojected; the database has them
 * all. 2,000 take about 600 kB of the 2 MB that a new run may be handed.
 */
export const REMEMBERED_EVENTS = 2_000;
