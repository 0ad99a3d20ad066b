/** Id of a user task: `task_` and a UUID, opaque to everyone but this file. */
export type TaskId = string & { readonly __brand: 'TaskId' };

const TASK_ID = /^task_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The task id for a UUID in its usual lower-case form. */
export function taskIdOf(uuid: string): TaskId {
  return `task_${uuid}` as TaskId;
}

/** `text` as a task id, or null when it is none. */
export function parseTaskId(text: unknown): TaskId | null {
  return typeof text === 'string' && TASK_ID.test(text) ? (text as TaskId) : null;
}

/**
 * Id of the workflow that is the task: a function of tenant and task id alone, so that a second start is refused.
 * The tenant is percent-encoded, so that no tenant's name can run into the task id.
 * @see UT-017
 */
export function taskWorkflowId(tenantId: string, taskId: TaskId): string {
  return `user-task/${encodeURIComponent(tenantId)}/${taskId}`;
}
