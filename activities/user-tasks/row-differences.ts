import { instantOf } from '../../domain/instant';
import { canonicalJson } from '../../domain/json';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import {
  projectionOf,
  type Receipt,
  type TaskProjection,
  type TaskSnapshot,
} from '../../domain/user-tasks/receipt';
import type { Prisma } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { materializationKey } from './project';

/** Everything that belongs to a row and that its workflow knows. */
export const withEverything = {
  events: true,
  operations: true,
  candidates: { where: { source: { not: 'SnapshotMember' } } },
  exclusions: true,
  health: { where: { origin: 'task' } },
  protected: true,
} satisfies Prisma.UserTaskInclude;

export type ComparedRow = Prisma.UserTaskGetPayload<{ include: typeof withEverything }>;

/**
 * Names every way in which a row differs from what its workflow holds; values, which may be protected, never.
 * @param end - what repair made of a workflow that somebody ended from outside
 */
export function differencesOf(
  row: ComparedRow,
  snapshot: TaskSnapshot,
  end: Receipt | null,
): readonly string[] {
  return [
    ...inputDifferences(row, snapshot),
    ...stateDifferences(row, snapshot, end),
    ...eventDifferences(row, snapshot, end),
    ...operationDifferences(row, snapshot, end),
  ];
}

function inputDifferences(
  row: ComparedRow,
  { record: { task }, workflowId }: TaskSnapshot,
): readonly string[] {
  const { inputs, owner } = task;
  const keys = (participants: readonly ParticipantReference[]): readonly string[] =>
    participants.map(participantKeyHash).sort();
  const stored = (rows: readonly { readonly participantKey: string }[]): readonly string[] =>
    rows.map(({ participantKey }) => participantKey).sort();
  return unequal({
    workflowId: [row.workflowId, workflowId],
    materializationKey: [row.materializationKey, materializationKey(task.tenantId, owner)],
    title: [row.title, inputs.title],
    summary: [row.summary, inputs.summary],
    reference: [row.reference, inputs.reference],
    tags: [row.tags, inputs.tags],
    taskType: [row.taskType, inputs.taskType],
    requester: [row.requester, inputs.requester],
    membership: [row.membershipMode, inputs.membershipResolutionMode],
    createdAt: [instantOrNull(row.createdAt), task.createdAt],
    instructions: [row.protected?.instructions ?? null, inputs.instructions],
    'task data': [row.protected?.taskData ?? null, inputs.taskData],
    actions: [row.protected?.actions ?? null, inputs.actions],
    form: [row.protected?.form ?? null, task.form],
    candidates: [
      stored(row.candidates),
      keys([...inputs.candidateUsers, ...inputs.candidateGroups]),
    ],
    exclusions: [stored(row.exclusions), keys(inputs.excludedUsers)],
  });
}

function stateDifferences(
  row: ComparedRow,
  { record, run }: TaskSnapshot,
  end: Receipt | null,
): readonly string[] {
  const expected = byCode(end?.task ?? projectionOf(record.task));
  const actual = byCode(projectionOfRow(row));
  const names = Object.keys(expected) as (keyof TaskProjection)[];
  const found = [
    ...unequal(Object.fromEntries(names.map((name) => [name, [expected[name], actual[name]]]))),
  ];
  if (row.runId !== run.runId && !run.lineage.includes(row.runId))
    found.push('the row follows another run');
  const completion = record.task.status === 'Completed' ? record.task.outcome.data : null;
  const response = row.protected?.response ?? null;
  if (record.task.completedAt !== null)
    found.push(...unequal({ response: [response, completion] }));
  return found;
}

function eventDifferences(
  row: ComparedRow,
  { record }: TaskSnapshot,
  end: Receipt | null,
): readonly string[] {
  const known = new Set(row.events.map((event) => `${event.revision} ${event.eventType}`));
  return [...record.events, ...(end?.events ?? [])]
    .filter((event) => !known.has(`${event.revision} ${event.kind}`))
    .map((event) => `event ${event.kind} of revision ${event.revision} is missing`);
}

function operationDifferences(
  row: ComparedRow,
  { record }: TaskSnapshot,
  end: Receipt | null,
): readonly string[] {
  const stored = new Map(
    row.operations.map((operation) => [operation.operationId, operation.status]),
  );
  const undone = end?.operation ?? null;
  return record.operations
    .map((operation) => (operation.operationId === undone?.operationId ? undone : operation))
    .filter(({ operationId, status }) => stored.get(operationId) !== status)
    .map(
      ({ operationId, kind, status }) =>
        `operation ${kind} is ${stored.get(operationId) ?? 'missing'}, not ${status}`,
    );
}

/** Names of the pairs whose two sides are not the same JSON. */
function unequal(pairs: Readonly<Record<string, readonly unknown[]>>): readonly string[] {
  return Object.entries(pairs)
    .filter(([, [one, other]]) => canonicalJson(one ?? null) !== canonicalJson(other ?? null))
    .map(([name]) => `${name} differs`);
}

function byCode(task: TaskProjection): TaskProjection {
  return { ...task, health: task.health.toSorted((a, b) => (a.code < b.code ? -1 : 1)) };
}

function projectionOfRow(row: ComparedRow): TaskProjection {
  const health = row.health.map(({ code, severity, message, since }) => ({
    code,
    severity,
    message,
    since: instantOrNull(since),
  }));
  return {
    revision: row.revision,
    status: row.status as TaskProjection['status'],
    priority: row.priority,
    dueAt: instantOrNull(row.dueAt),
    updatedAt: instantOf(row.updatedAt.getTime()),
    assignee: row.assignee as unknown as ParticipantReference | null,
    assignedAt: instantOrNull(row.assignedAt),
    completedAt: instantOrNull(row.completedAt),
    completedBy: row.completedBy as unknown as ParticipantReference | null,
    actionKey: row.actionKey,
    health: health as unknown as TaskProjection['health'],
  };
}

function instantOrNull(date: Date | null): TaskProjection['dueAt'] {
  return date === null ? null : instantOf(date.getTime());
}
