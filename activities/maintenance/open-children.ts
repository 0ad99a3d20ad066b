import type { Client } from '@temporalio/client';
import { parseTaskId, taskWorkflowId, type TaskId } from '../../domain/ids';
import { snapshotQuery, USER_TASK_WORKFLOW } from '../../workflows/messages';
import type { Page, PageRequest } from './maintenance-activities';

/** Which workflows of user tasks to list. */
export interface ChildrenRequest extends PageRequest<string> {
  /** Null for every task queue of the namespace. */
  readonly taskQueue: string | null;
  /** Open tasks alone, or also those that have ended and are still kept. */
  readonly open: boolean;
  /** Only tasks that started before; null for all. */
  readonly startedBefore: Date | null;
}

/** Ids of the workflows that are user tasks, as Temporal's visibility lists them. The cursor is Temporal's page token. */
export async function listChildren(
  client: Client,
  request: ChildrenRequest,
): Promise<Page<string, string>> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    pageSize: request.limit,
    query: queryFor(request),
    nextPageToken: Buffer.from(request.after ?? '', 'base64'),
  });
  const ids = executions
    .map(({ execution }) => execution?.workflowId ?? '')
    .filter((id) => id !== '');
  const token = Buffer.from(nextPageToken).toString('base64');
  return { items: [...new Set(ids)], next: token === '' ? null : token };
}

function queryFor({ open, taskQueue, tenantId, startedBefore }: ChildrenRequest): string {
  const parts = [
    `WorkflowType = '${USER_TASK_WORKFLOW}'`,
    open ? `ExecutionStatus = 'Running'` : `ExecutionStatus != 'ContinuedAsNew'`,
  ];
  if (taskQueue !== null) parts.push(`TaskQueue = ${quoted(taskQueue)}`);
  // By the workflow's id and not by search attribute, which a task shows only once it has begun.
  if (tenantId !== null) parts.push(`WorkflowId STARTS_WITH ${quoted(prefixOf(tenantId))}`);
  if (startedBefore !== null) parts.push(`StartTime < '${startedBefore.toISOString()}'`);
  return parts.join(' AND ');
}

function prefixOf(tenantId: string): string {
  return taskWorkflowId(tenantId, '' as TaskId);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Which task a workflow is. */
export interface TaskIdentity {
  readonly tenantId: string;
  readonly taskId: TaskId;
}

/** How `taskWorkflowId` begins what stands for a tenant that is too long to stand there itself. */
const HASHED_TENANT = 'sha256:';

/** The task behind a workflow: from its id, or, where that holds a long tenant's hash, by asking it. */
export async function identifyTask(
  client: Client,
  workflowId: string,
): Promise<TaskIdentity | null> {
  const task = taskOfWorkflow(workflowId);
  if (task === null || !task.tenantId.startsWith(HASHED_TENANT)) return task;
  const { record } = await client.workflow.getHandle(workflowId).query(snapshotQuery);
  return { tenantId: record.task.tenantId, taskId: record.task.taskId };
}

/**
 * Tenant and task of a workflow id, or null when it is no user task's. For a tenant that is too long for an id its hash
 * stands there; see {@link identifyTask}.
 */
export function taskOfWorkflow(workflowId: string): TaskIdentity | null {
  const [, tenant, id] = /^user-task\/([^/]*)\/([^/]*)$/.exec(workflowId) ?? [];
  const taskId = parseTaskId(id);
  if (tenant === undefined || taskId === null) return null;
  try {
    return { tenantId: decodeURIComponent(tenant), taskId };
  } catch {
    return null;
  }
}
