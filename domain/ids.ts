import { isStorableText } from './json';
import { sha256Hex } from './sha256';

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
 * The tenant is percent-encoded, so that no tenant's name can run into the task id; a long one is hashed, since Temporal
 * takes ids of 1,000 bytes. Encoding never yields a colon, so the two forms cannot meet.
 * @see UT-017
 */
export function taskWorkflowId(tenantId: string, taskId: TaskId): string {
  const short =
    tenantId.length <= 100 && isStorableText(tenantId) ? encodeURIComponent(tenantId) : null;
  const tenant = short !== null && short.length <= 300 ? short : `sha256:${sha256Hex(tenantId)}`;
  return `user-task/${tenant}/${taskId}`;
}
