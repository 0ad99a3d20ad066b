import { parseTaskId, taskWorkflowId } from '../domain/ids';
import { isRecord, isStorableText } from '../domain/json';
import { PARTICIPANT_LIMITS } from '../domain/user-tasks/participant';
import { rejection, type Rejection } from '../domain/user-tasks/rejection';
import type { UserTaskStart } from './messages';

/**
 * Reads the argument of a task that starts, which other programs may have built. Its inputs are left unread: they are
 * `create`'s to judge.
 * @param workflowId - of the workflow that starts: the one of the task, or a second workflow could be the same task
 * @see UT-017, UT-384
 */
export function parseStart(
  value: unknown,
  workflowId: string,
): Omit<UserTaskStart, 'continued' | 'historyLimit'> | Rejection {
  if (!isRecord(value)) return invalid('the start of a user task must be an object');
  const { tenantId, activityInstanceId, inputs, ownerDefinition } = value;
  const taskId = parseTaskId(value['taskId']);
  if (!isText(tenantId, PARTICIPANT_LIMITS.tenantId)) return invalid('tenantId must be a string');
  if (taskId === null) return invalid('taskId must be the id of a task');
  if (!isText(activityInstanceId)) return invalid('activityInstanceId must be a string');
  if (workflowId !== taskWorkflowId(tenantId, taskId)) {
    return invalid('the workflow id must be the one of the task');
  }
  if (!isRecord(ownerDefinition)) return invalid('ownerDefinition must be an object');
  const { id, name, version = null, instanceReference = null } = ownerDefinition;
  if (!isText(id) || !isText(name) || !isTextOrNull(version) || !isTextOrNull(instanceReference)) {
    return invalid(`ownerDefinition must hold texts of at most ${OWNER_TEXT_LIMIT} characters`);
  }
  return {
    tenantId,
    taskId,
    activityInstanceId,
    inputs,
    ownerDefinition: { id, name, version, instanceReference },
  };
}

/** Longest text about the owner, in characters. */
const OWNER_TEXT_LIMIT = 1000;

function isText(value: unknown, limit = OWNER_TEXT_LIMIT): value is string {
  return typeof value === 'string' && value.length <= limit && isStorableText(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

function invalid(detail: string): Rejection {
  return rejection('invalid-definition', detail);
}
