import type { AuditEvent } from '../../activities/user-tasks/audit-event';
import type { TaskEventKind } from '../../domain/user-tasks/task';
import { isRecord } from '../../domain/json';
import type { UserTaskEvent } from '../../prisma/generated/client';
import type { TaskView } from './task-view';
import type { Reading } from './visible-task';
import type { EventPageWire } from './wire';

export const DEFAULT_EVENT_LIMIT = 50;
export const MAXIMUM_EVENT_LIMIT = 200;

/** Place in the timeline: epoch, revision and ordinal of an event. @see UT-161 */
export type EventPlace = readonly [epoch: number, revision: number, ordinal: number];

/**
 * One page of the timeline of a task, in its own order. Whether the caller may read it is decided before.
 * @param after - where the page before ended, or null for the first
 * @see UT-158, UT-161
 */
export async function readEvents(
  deps: Reading,
  view: TaskView,
  after: EventPlace | null,
  limit: number,
): Promise<EventPageWire> {
  const rows = await deps.database.userTaskEvent.findMany({
    where: {
      tenantId: view.tenantId,
      taskId: view.id,
      ...(after === null ? {} : afterPlace(after)),
      // Who was refused what is for managers. @see UT-405
      ...(view.is.manager ? {} : { eventType: { not: 'PrivilegedOperationFailed' } }),
    },
    orderBy: [{ epoch: 'asc' }, { revision: 'asc' }, { ordinal: 'asc' }],
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(presentEvent),
    nextCursor:
      rows.length > limit && last !== undefined
        ? encodePlace([last.epoch, last.revision, last.ordinal])
        : null,
  };
}

/** The place in a cursor, or null when the text is none. */
export function decodePlace(text: string): EventPlace | null {
  const parts = Buffer.from(text, 'base64url').toString('utf8').split(':');
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,9}$/.test(part))) return null;
  const [epoch = 0, revision = 0, ordinal = 0] = parts.map(Number);
  return [epoch, revision, ordinal];
}

function encodePlace(place: EventPlace): string {
  return Buffer.from(place.join(':')).toString('base64url');
}

function afterPlace([epoch, revision, ordinal]: EventPlace): object {
  return {
    OR: [
      { epoch: { gt: epoch } },
      { epoch, revision: { gt: revision } },
      { epoch, revision, ordinal: { gt: ordinal } },
    ],
  };
}

/** Neither who it was exactly, nor what was typed in, nor metadata. @see UT-158, UT-159 */
function presentEvent(event: UserTaskEvent): EventPageWire['items'][number] {
  return {
    id: event.id,
    kind: event.eventType,
    summary:
      (SUMMARIES as Readonly<Record<string, string>>)[event.eventType] ??
      'Something happened to the task.',
    occurredAt: event.occurredAt.toISOString(),
    actorDisplayName: displayNameOf(event.actor),
  };
}

const SUMMARIES = {
  Created: 'The task was created.',
  Claimed: 'The task was claimed.',
  Released: 'The task was given back.',
  Assigned: 'The task was assigned.',
  Reassigned: 'The task was assigned to somebody else.',
  ScheduleUpdated: 'Priority or due date was changed.',
  OverdueNotified: 'The task became overdue.',
  CompletionRequested: 'A completion was accepted.',
  TimeoutRequested: 'The due date passed and the task is timing out.',
  CancellationRequested: 'A cancellation was accepted.',
  Completed: 'The task was completed.',
  TimedOut: 'The task timed out.',
  Cancelled: 'The task was cancelled.',
  ResolutionRetried: 'What could not be resolved was tried again.',
  Rewound: 'The task was set back by an operator.',
  FieldRevealed: 'A masked field was revealed.',
  PrivilegedOperationFailed: 'A manager’s command was refused.',
  HealthChanged: 'A health issue was raised or cleared.',
} as const satisfies Record<TaskEventKind | AuditEvent['kind'] | 'Rewound', string>;

function displayNameOf(actor: unknown): string | null {
  const name = isRecord(actor) ? actor['displayName'] : null;
  return typeof name === 'string' ? name : null;
}
