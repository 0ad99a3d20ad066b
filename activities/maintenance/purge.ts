import type { Prisma, PrismaClient } from '../../prisma/generated/client';
import { closureOfStatus, describeWorkflow } from '../user-tasks/closure';
import type { MaintenanceDependencies } from './dependencies';
import type { ClosedTaskCursor, PurgeCounts } from './maintenance-activities';

/** A page of what the purge is to look at. */
export interface PurgePageRequest {
  readonly tenantId: string;
  /** Tasks that closed before this instant. */
  readonly completedBefore: string;
  readonly after: ClosedTaskCursor | null;
  readonly limit: number;
}

/**
 * Purges a page of closed tasks, oldest first: each with everything that belongs to it, in a transaction of its own, so
 * that one that fails keeps no other. Skips what may still be wanted.
 * @param onProgress - called after each task
 * @see UT-281, UT-282, UT-414
 */
export async function purgePage(
  deps: MaintenanceDependencies,
  request: PurgePageRequest,
  onProgress: () => void = () => undefined,
): Promise<PurgeCounts & { readonly next: ClosedTaskCursor | null }> {
  const tasks = await selectClosed(deps.database, request);
  let deleted = 0;
  for (const task of tasks) {
    try {
      if (await purgeTask(deps, request, task)) deleted += 1;
    } catch (error) {
      deps.onFailure(task.taskId, error);
    }
    onProgress();
  }
  const last = tasks.at(-1);
  const next =
    last === undefined || tasks.length < request.limit
      ? null
      : { completedAt: last.completedAt, taskId: last.taskId };
  return { deleted, skipped: tasks.length - deleted, next };
}

interface ClosedTask extends ClosedTaskCursor {
  readonly workflowId: string;
}

async function selectClosed(
  database: PrismaClient,
  request: PurgePageRequest,
): Promise<readonly ClosedTask[]> {
  const { tenantId, completedBefore, after, limit } = request;
  const from = new Date(after?.completedAt ?? 0);
  const rows = await database.$queryRaw<
    { taskId: string; workflowId: string; completedAt: Date }[]
  >`
    select id as "taskId", workflow_id as "workflowId", completed_at as "completedAt" from user_tasks
    where tenant_id = ${tenantId} and completed_at < ${new Date(completedBefore)}
      and (completed_at, id) > (${from}, ${after?.taskId ?? ''})
    order by completed_at, id limit ${limit}`;
  return rows.map(({ completedAt, ...row }) => ({
    ...row,
    completedAt: completedAt.toISOString(),
  }));
}

async function purgeTask(
  { database, client }: MaintenanceDependencies,
  { tenantId, completedBefore }: PurgePageRequest,
  { taskId, workflowId }: ClosedTask,
): Promise<boolean> {
  const child = await describeWorkflow(client, workflowId);
  // As long as the workflow runs its owner waits, whatever the row says.
  if (child !== null && closureOfStatus(child.status.name) === 'running') return false;
  return database.$transaction(async (transaction) => {
    if (!(await mayGo(transaction, tenantId, taskId, completedBefore))) return false;
    // The one exception of the trigger that keeps events: see the migrations.
    await transaction.$executeRaw`set local countersign.purge = 'on'`;
    await deleteAll(transaction, tenantId, taskId);
    await transaction.purgedUserTask.upsert({
      where: { tenantId_taskId: { tenantId, taskId } },
      create: { tenantId, taskId },
      update: {},
    });
    return true;
  });
}

/** Whether the task is closed, settled and beyond doubt; its row is then locked. Another purge may have it already. */
async function mayGo(
  transaction: Prisma.TransactionClient,
  tenantId: string,
  taskId: string,
  completedBefore: string,
): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    select from user_tasks t
    where t.tenant_id = ${tenantId} and t.id = ${taskId} and t.completed_at < ${new Date(completedBefore)}
      and t.status in ('Completed', 'TimedOut', 'Cancelled')
      and not exists (select from user_task_operations o where o.tenant_id = t.tenant_id and o.task_id = t.id
                      and o.status in ('Pending', 'Accepted'))
      and not exists (select from user_task_health_issues h where h.tenant_id = t.tenant_id and h.task_id = t.id
                      and h.code in ('stale-transition', 'ambiguous-record'))
    for update skip locked`;
  return rows.length > 0;
}

/**
 * Everything that hangs on the row goes with it; what has no such tie is named. Notifications have a short retention of
 * their own and nothing protected: those that are still on their way arrive.
 */
async function deleteAll(
  transaction: Prisma.TransactionClient,
  tenantId: string,
  taskId: string,
): Promise<void> {
  await transaction.userTaskSnapshotMember.deleteMany({ where: { tenantId, taskId } });
  await transaction.userTask.delete({ where: { tenantId_id: { tenantId, id: taskId } } });
}

/** Tenants that have tasks, from the primary key's index and not from its rows. */
export async function listTenants(database: PrismaClient): Promise<readonly string[]> {
  const rows = await database.$queryRaw<{ tenantId: string }[]>`
    with recursive tenants(id) as (
      (select tenant_id from user_tasks order by tenant_id limit 1)
      union all
      select (select tenant_id from user_tasks where tenant_id > tenants.id order by tenant_id limit 1)
      from tenants where tenants.id is not null)
    select id as "tenantId" from tenants where id is not null`;
  return rows.map(({ tenantId }) => tenantId);
}
