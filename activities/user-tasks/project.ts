import { createHash } from 'node:crypto';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { startRecord } from '../../domain/user-tasks/decide/decide';
import { notificationsOf } from '../../domain/user-tasks/notification';
import type { EventRecord } from '../../domain/user-tasks/event-record';
import type { OperationRecord } from '../../domain/user-tasks/operation';
import {
  projectionOf,
  type CreationReceipt,
  type Receipt,
  type TaskProjection,
  type TaskSnapshot,
} from '../../domain/user-tasks/receipt';
import type { TaskOwner, TaskState } from '../../domain/user-tasks/task';
import type { Prisma, PrismaClient } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { APPLY_RECEIPT, CREATE_TASK } from './projection-sql';

/** A client or a transaction of it. */
export type Database = PrismaClient | Prisma.TransactionClient;

/**
 * What became of a receipt: `applied`; `not-applied`, since the row is as new or newer; `absent`, no row to change;
 * `other-run`, from a run that an operator's reset has cut off from the row's, so that the row must be rebuilt.
 */
export type ProjectionOutcome = 'applied' | 'not-applied' | 'absent' | 'other-run';

/**
 * Writes what a receipt tells: row, candidates, events, health and operation in one statement, hence in one transaction.
 * Idempotent; receipts may come twice, late or out of order.
 * @param operations - the receipt's own, unless it stands for all that a task holds
 * @see UT-153, UT-289, UT-290; design.md, "Who projects"
 */
export async function project(
  database: Database,
  receipt: Receipt,
  operations: readonly OperationRecord[] = receipt.operation === null ? [] : [receipt.operation],
): Promise<ProjectionOutcome> {
  const document = {
    tenantId: receipt.tenantId,
    taskId: receipt.taskId,
    ...receipt.run,
    task: taskDocument(receipt.task),
    events: receipt.events.map(eventDocument),
    operations: operations.map(operationDocument),
    notifications: receipt.events.flatMap(notificationDocuments),
    ...('snapshotId' in receipt ? { snapshotId: receipt.snapshotId } : {}),
  };
  const rows = await database.$queryRawUnsafe<{ outcome: ProjectionOutcome }[]>(
    APPLY_RECEIPT,
    JSON.stringify(document),
    receipt.response === undefined ? null : JSON.stringify(receipt.response),
    receipt.form === undefined ? null : JSON.stringify(receipt.form),
  );
  return rows[0]?.outcome ?? 'absent';
}

/**
 * Writes the rows of a task that has started. A repetition writes nothing.
 * @returns id of the task that holds the materialization key: this one, or one that was first (UT-019)
 */
export function projectCreation(database: Database, receipt: CreationReceipt): Promise<string> {
  const { event, workflowId, run } = receipt;
  return insertTask(database, startRecord(event), workflowId, run);
}

/** Writes the rows of a task that has none, from all that its workflow holds. */
export function projectSnapshot(database: Database, snapshot: TaskSnapshot): Promise<string> {
  return insertTask(database, snapshot.record, snapshot.workflowId, snapshot.run);
}

/** Identity of a materialization: tenant, owner's run and step. Hashed, since the parts may be long. @see UT-016 */
export function materializationKey(tenantId: string, owner: TaskOwner): string {
  const parts = [tenantId, owner.workflowId, owner.runId, owner.activityInstanceId];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function insertTask(
  database: Database,
  record: TaskSnapshot['record'],
  workflowId: string,
  run: TaskSnapshot['run'],
): Promise<string> {
  const { task } = record;
  const { taskData, actions, form, ...inputs } = task.inputs;
  const { owner } = task;
  const document = {
    tenantId: task.tenantId,
    taskId: task.taskId,
    ...run,
    workflowId,
    owner,
    inputs,
    materializationKey: materializationKey(task.tenantId, owner),
    createdAt: task.createdAt,
    candidateUserCount: inputs.candidateUsers.length,
    candidateGroupCount: inputs.candidateGroups.length,
    candidates: [
      ...inputs.candidateUsers.map((user) => participantDocument(user, 'DirectUser')),
      ...inputs.candidateGroups.map((group) => participantDocument(group, 'DirectGroup')),
    ],
    exclusions: inputs.excludedUsers.map((user) => participantDocument(user, 'Excluded')),
    task: taskDocument(projectionOf(task)),
    events: record.events.map(eventDocument),
    notifications: record.events.flatMap(notificationDocuments),
    operations: record.operations.map(operationDocument),
    ...(task.membership === null ? {} : { snapshotId: task.membership.snapshotId }),
  };
  const rows = await database.$queryRawUnsafe<{ taskId: string }[]>(
    CREATE_TASK,
    JSON.stringify(document),
    responseOf(task),
    JSON.stringify(taskData),
    JSON.stringify(actions),
    task.form === null ? null : JSON.stringify(task.form),
    form === null ? null : JSON.stringify(form),
  );
  const holder = rows[0]?.taskId;
  if (holder === undefined)
    throw new Error(`user task ${task.taskId} is being written by another transaction`);
  return holder;
}

function responseOf(task: TaskState): string | null {
  return task.status === 'Completed' || task.status === 'Completing'
    ? JSON.stringify(task.outcome.data)
    : null;
}

function taskDocument(task: TaskProjection): object {
  return {
    ...task,
    assigneeKey: keyOf(task.assignee),
    completedByKey: keyOf(task.completedBy),
    blocked: task.health.some((issue) => issue.severity === 'Blocking'),
  };
}

function eventDocument(event: EventRecord): object {
  return { ...event, actorKey: keyOf(event.actor), assigneeKey: keyOf(event.assignee) };
}

function notificationDocuments(event: EventRecord): readonly object[] {
  return notificationsOf(event).map(({ type, revision, status, occurredAt, ...data }, index) => ({
    type,
    revision,
    status,
    occurredAt,
    index,
    data,
  }));
}

function operationDocument(operation: OperationRecord): object {
  return { ...operation, subjectKey: keyOf(operation.subject) };
}

function participantDocument(participant: ParticipantReference, source: string): object {
  return { ...participant, source, key: participantKeyHash(participant) };
}

function keyOf(participant: ParticipantReference | null): string | null {
  return participant === null ? null : participantKeyHash(participant);
}
