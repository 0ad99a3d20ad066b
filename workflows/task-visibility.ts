import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { TaskState } from '../domain/user-tasks/task';

const TENANT = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);
const TASK_ID = defineSearchAttributeKey('CountersignTaskId', SearchAttributeType.KEYWORD);
const STATUS = defineSearchAttributeKey('CountersignTaskStatus', SearchAttributeType.KEYWORD);
const TASK_TYPE = defineSearchAttributeKey('CountersignTaskType', SearchAttributeType.KEYWORD);
const ASSIGNEE = defineSearchAttributeKey('CountersignAssignee', SearchAttributeType.KEYWORD);
const PRIORITY = defineSearchAttributeKey('CountersignPriority', SearchAttributeType.INT);
const DUE_AT = defineSearchAttributeKey('CountersignDueAt', SearchAttributeType.DATETIME);

/** Makes a task that has just started findable in the Temporal UI: safe fields only (UT-386). */
export function showStarted(task: TaskState): void {
  upsertSearchAttributes([
    { key: TENANT, value: keyword(task.tenantId) },
    { key: TASK_ID, value: task.taskId },
    { key: TASK_TYPE, value: task.inputs.taskType },
    ...changing(task),
  ]);
  describe(task);
}

/** Tells again what a new run of a task does not take over: its details. */
export function showContinued(task: TaskState): void {
  describe(task);
}

/** Brings the Temporal UI up to date, and writes history only for what really changed. */
export function showChanged(before: TaskState, after: TaskState): void {
  const was = changing(before);
  const changed = changing(after).filter(
    (attribute, index) => String(was[index]?.value) !== String(attribute.value),
  );
  if (changed.length > 0) upsertSearchAttributes(changed);
  describe(after);
}

function changing(task: TaskState) {
  return [
    { key: STATUS, value: task.status },
    { key: ASSIGNEE, value: task.holding === null ? null : keyword(task.holding.assignee.id) },
    { key: PRIORITY, value: task.priority },
    { key: DUE_AT, value: task.dueAt === null ? null : new Date(task.dueAt) },
  ] satisfies Parameters<typeof upsertSearchAttributes>[0];
}

function describe(task: TaskState): void {
  const { inputs, holding } = task;
  const lines = [
    `**${inputs.title}**`,
    `${task.status}${holding === null ? '' : `, held by ${holding.assignee.displayName ?? holding.assignee.id}`}`,
    `priority ${task.priority}, ${task.dueAt === null ? 'no due date' : `due ${task.dueAt}`}`,
    `task ${task.taskId}, revision ${task.revision}`,
  ];
  if (inputs.reference !== null) lines.splice(1, 0, `reference ${inputs.reference}`);
  setCurrentDetails(lines.join('\n\n'));
}

/** Visibility stores on PostgreSQL hold 255 characters of a keyword; the rest is for finding, not for deciding. */
function keyword(text: string): string {
  return text.slice(0, 255);
}
