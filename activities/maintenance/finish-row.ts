import { instantOf, type Instant } from '../../domain/instant';
import type { TaskId } from '../../domain/ids';
import type { EventRecord } from '../../domain/user-tasks/event-record';
import type { OperationRecord } from '../../domain/user-tasks/operation';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { Receipt, TaskProjection } from '../../domain/user-tasks/receipt';
import {
  isTransitional,
  type CancellationCause,
  type TaskStatus,
} from '../../domain/user-tasks/task';
import type { Prisma, PrismaClient } from '../../prisma/generated/client';
import type { WorkflowEnd } from '../user-tasks/closure';
import { project } from '../user-tasks/project';

/** What of a row finishing it needs. */
export const withFinish = {
  operations: { where: { status: 'Accepted' } },
  health: true,
} satisfies Prisma.UserTaskInclude;

type Row = Prisma.UserTaskGetPayload<{ include: typeof withFinish }>;

/** Where the end is known from: the history of the closed workflow, or an operation that the row has as accepted. */
export type KnownEnd =
  WorkflowEnd | { readonly kind: 'accepted'; readonly operation: Row['operations'][number] };

interface Ending {
  readonly status: 'Completed' | 'TimedOut' | 'Cancelled';
  readonly actionKey: string;
  readonly by: ParticipantReference | null;
  readonly at: Instant;
  readonly cause: CancellationCause;
  readonly data?: Receipt['response'];
}

/**
 * Ends an open row whose workflow cannot say any more what lay between, by what is known of its end.
 * @see UT-107, UT-276 (2, 3), UT-279
 */
export async function finishRow(database: PrismaClient, row: Row, end: KnownEnd): Promise<void> {
  const ending = endingOf(row, end);
  const [accepted = null] = row.operations;
  const requested = requestOf(row, ending);
  const revision = row.revision + (requested === null ? 1 : 2);
  const operation = accepted === null ? null : settled(accepted, ending, revision);
  const last = eventOf(ending, {
    revision,
    kind: ending.status,
    status: ending.status,
    operationId: ending.cause === 'terminated' ? null : (operation?.operationId ?? null),
    metadata: {
      actionKey: ending.actionKey,
      ...(ending.status === 'Cancelled' ? { cause: ending.cause } : {}),
    },
  });
  await project(database, {
    tenantId: row.tenantId,
    taskId: row.id as TaskId,
    run: { runId: row.runId, lineage: row.runLineage },
    events: requested === null ? [last] : [requested, last],
    operation,
    task: projectionAfter(row, ending, revision),
    ...(ending.data === undefined ? {} : { response: ending.data }),
  });
}

function endingOf(row: Row, end: KnownEnd): Ending {
  const cancelled = { status: 'Cancelled', actionKey: 'Cancelled', by: null } as const;
  switch (end.kind) {
    case 'answered': {
      const { actionKey, completedBy, completedAt, data } = end.result;
      const status =
        actionKey === 'Timeout'
          ? 'TimedOut'
          : actionKey === 'Cancelled'
            ? 'Cancelled'
            : 'Completed';
      return {
        status,
        actionKey,
        by: completedBy,
        at: completedAt,
        cause: 'manager',
        ...(status === 'Completed' ? { data } : {}),
      };
    }
    case 'withdrawn':
      return { ...cancelled, at: end.at, cause: 'owner' };
    case 'killed':
      return { ...cancelled, at: end.at, cause: 'terminated' };
    case 'accepted': {
      const { subject, actionKey, updatedAt } = end.operation;
      const status = END_OF[row.status as keyof typeof END_OF];
      const by = status === 'TimedOut' ? null : (subject as unknown as ParticipantReference | null);
      const key = row.actionKey ?? actionKey ?? (status === 'TimedOut' ? 'Timeout' : 'Cancelled');
      return { status, actionKey: key, by, at: instantOf(updatedAt.getTime()), cause: 'manager' };
    }
  }
}

const END_OF = {
  Completing: 'Completed',
  TimingOut: 'TimedOut',
  Cancelling: 'Cancelled',
} as const satisfies Partial<Record<TaskStatus, Ending['status']>>;

/** The transition that must have come before the end, where the row has not seen it. */
function requestOf(row: Row, ending: Ending): EventRecord | null {
  if (isTransitional(row.status as TaskStatus)) return null;
  if (ending.status === 'Cancelled' && ending.cause !== 'manager') return null;
  const [kind, status] = REQUEST_BEFORE[ending.status];
  const metadata = kind === 'CompletionRequested' ? { actionKey: ending.actionKey } : null;
  return eventOf(ending, { revision: row.revision + 1, kind, status, operationId: null, metadata });
}

const REQUEST_BEFORE = {
  Completed: ['CompletionRequested', 'Completing'],
  TimedOut: ['TimeoutRequested', 'TimingOut'],
  Cancelled: ['CancellationRequested', 'Cancelling'],
} as const;

function eventOf(
  { at, by }: Ending,
  event: Pick<EventRecord, 'revision' | 'kind' | 'status' | 'operationId' | 'metadata'>,
): EventRecord {
  return { ...event, occurredAt: at, actor: by, assignee: null, reason: null };
}

function projectionAfter(
  row: Row,
  { status, actionKey, by, at }: Ending,
  revision: number,
): TaskProjection {
  const instant = (date: Date | null): Instant | null =>
    date === null ? null : instantOf(date.getTime());
  const assignee =
    (row.assignee as unknown as ParticipantReference | null) ??
    (status === 'Completed' ? by : null);
  return {
    revision,
    status,
    priority: row.priority,
    dueAt: instant(row.dueAt),
    updatedAt: at,
    assignee,
    assignedAt: instant(row.assignedAt),
    completedAt: at,
    completedBy: by,
    actionKey,
    health: row.health
      .filter(({ origin }) => origin === 'task')
      .map(({ code, severity, message, since }) => ({
        code: code as TaskProjection['health'][number]['code'],
        severity: severity as TaskProjection['health'][number]['severity'],
        message,
        since: instantOf(since.getTime()),
      })),
  };
}

function settled(
  operation: Row['operations'][number],
  { cause, at }: Ending,
  revision: number,
): OperationRecord {
  const lost = cause === 'terminated';
  return {
    operationId: operation.operationId,
    kind: operation.kind as OperationRecord['kind'],
    subject: operation.subject as unknown as ParticipantReference | null,
    requestHash: operation.requestHash,
    receivedHash: operation.receivedHash,
    expectedRevision: operation.expectedRevision,
    status: lost ? 'Failed' : 'Completed',
    errorCode: lost ? 'terminated' : null,
    actionKey: operation.actionKey,
    revision,
    createdAt: instantOf(operation.createdAt.getTime()),
    updatedAt: at,
  };
}
