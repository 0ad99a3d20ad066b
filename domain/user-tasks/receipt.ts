import type { Instant } from '../instant';
import type { TaskId } from '../ids';
import type { Json } from '../json';
import type { PinnedForm } from './form';
import type { HealthIssue } from './health';
import type { OperationRecord } from './operation';
import type { ParticipantReference } from './participant';
import type { EventRecord } from './event-record';
import type { CreatedEvent, TaskState, TaskStatus, TransitionEvent } from './task';
import type { TaskRecord } from './decide/decision';

/** The part of a task that changes while it runs, as rows hold it. Never the frozen inputs, never protected data. */
export interface TaskProjection {
  readonly revision: number;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly dueAt: Instant | null;
  readonly updatedAt: Instant;
  readonly assignee: ParticipantReference | null;
  readonly assignedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly completedBy: ParticipantReference | null;
  /** Key of the selected action, or of the reserved outcome. */
  readonly actionKey: string | null;
  readonly health: readonly HealthIssue[];
}

/**
 * The run of the task's workflow that speaks, and the runs it continued. Tells a continued run from one that an operator
 * reset.
 */
export interface RunIdentity {
  readonly runId: string;
  readonly lineage: readonly string[];
}

/**
 * What a command or the task itself brought about: enough to project it, durable in Temporal.
 * @see UT-153
 */
export interface Receipt {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly run: RunIdentity;
  /** The events that were added; empty for a repetition and for a refused signal. */
  readonly events: readonly EventRecord[];
  readonly operation: OperationRecord | null;
  readonly task: TaskProjection;
  /** Completion data, only in the receipt that accepts it. Protected. */
  readonly response?: Json;
  /** The provider's form, only in the receipt of the repair that pinned it. Protected. */
  readonly form?: PinnedForm;
  /** The list of members, only in the receipt of the repair that found it. */
  readonly snapshotId?: string;
}

/** What the start of a task brought about; the one receipt with the frozen inputs. */
export interface CreationReceipt {
  readonly event: CreatedEvent;
  readonly workflowId: string;
  readonly run: RunIdentity;
}

/** Everything a task holds, for repair and comparison with its row. */
export interface TaskSnapshot {
  readonly record: TaskRecord;
  readonly workflowId: string;
  readonly run: RunIdentity;
}

/** What the owner awaits. @see UT-261 */
export interface UserTaskResult {
  readonly taskId: TaskId;
  readonly actionKey: string;
  readonly data: Json;
  readonly completedBy: ParticipantReference | null;
  readonly completedAt: Instant;
}

/** The receipt for `events`, the last that led to `record`. */
export function receiptOf(
  record: TaskRecord,
  events: readonly TransitionEvent[],
  operation: OperationRecord | null,
  run: RunIdentity,
): Receipt {
  const { task } = record;
  const repair = events.find((event) => event.kind === 'ResolutionRetried');
  const completion = events.find((event) => event.kind === 'CompletionRequested');
  return {
    tenantId: task.tenantId,
    taskId: task.taskId,
    run,
    events: record.events.slice(record.events.length - events.length),
    operation,
    task: projectionOf(task),
    ...(completion === undefined ? {} : { response: completion.data }),
    ...(repair === undefined ? {} : resolvedParts(repair)),
  };
}

/** The receipt of an operation that the task remembers, made again: its events, and the task as it is now. */
export function receiptOfOperation(
  record: TaskRecord,
  operation: OperationRecord,
  run: RunIdentity,
): Receipt {
  const { task } = record;
  return {
    tenantId: task.tenantId,
    taskId: task.taskId,
    run,
    events: record.events.filter((event) => event.operationId === operation.operationId),
    operation,
    task: projectionOf(task),
    ...(isAcceptedCompletion(operation) && task.outcome !== null
      ? { response: task.outcome.data }
      : {}),
    ...(operation.kind === 'RetryResolution' ? resolvedParts(task) : {}),
  };
}

function isAcceptedCompletion({ kind, status }: OperationRecord): boolean {
  return kind === 'Complete' && (status === 'Accepted' || status === 'Completed');
}

/** The form that was pinned and the list of members that was found. */
export function resolvedParts({
  form,
  membership,
}: Pick<TaskState, 'form' | 'membership'>): Pick<Receipt, 'form' | 'snapshotId'> {
  return {
    ...(form === null ? {} : { form }),
    ...(membership === null ? {} : { snapshotId: membership.snapshotId }),
  };
}

/** The changing part of a task. */
export function projectionOf(task: TaskState): TaskProjection {
  return {
    revision: task.revision,
    status: task.status,
    priority: task.priority,
    dueAt: task.dueAt,
    updatedAt: task.updatedAt,
    assignee: task.holding?.assignee ?? null,
    assignedAt: task.holding?.assignedAt ?? null,
    completedAt: task.completedAt,
    completedBy: task.completedAt === null ? null : task.outcome.completedBy,
    actionKey: task.outcome?.actionKey ?? null,
    health: task.health,
  };
}

/** The answer for the owner. @throws {Error} when the task is not closed */
export function resultOf(task: TaskState): UserTaskResult {
  if (task.completedAt === null) throw new Error(`a task that is ${task.status} has no result`);
  const { actionKey, data, completedBy } = task.outcome;
  return { taskId: task.taskId, actionKey, data, completedBy, completedAt: task.completedAt };
}
