import type { PrismaClient } from '../../prisma/generated/client';
import { clearIssue, raiseIssue } from '../user-tasks/outside-issues';
import type { TaskKey } from './maintenance-activities';

/**
 * Raises `stale-transition` where an operation has waited past the limit, and clears it where none waits any more.
 * @returns how many tasks were changed: as many as `limit` means that there may be more
 * @see UT-165, UT-277
 */
export async function flagStaleOperations(
  database: PrismaClient,
  {
    tenantId,
    staleAfterMs,
    limit,
  }: { readonly tenantId: string | null; readonly staleAfterMs: number; readonly limit: number },
  onProgress: () => void = () => undefined,
): Promise<number> {
  const tenant = tenantId === null ? [] : [tenantId];
  const [stale, settled] = await Promise.all([
    database.$queryRawUnsafe<TaskKey[]>(
      selectStale(tenantId),
      staleAfterMs / 1000,
      limit,
      ...tenant,
    ),
    database.$queryRawUnsafe<TaskKey[]>(
      selectSettled(tenantId),
      staleAfterMs / 1000,
      limit,
      ...tenant,
    ),
  ]);
  let changed = 0;
  for (const task of stale) {
    if (await raiseIssue(database, task, 'stale-transition')) changed += 1;
    onProgress();
  }
  for (const task of settled) {
    if (await clearIssue(database, task, 'stale-transition')) changed += 1;
    onProgress();
  }
  return changed;
}

/** The sweeper touches what is pending, so that its age counts from when it was written down. */
const waits = `o.status in ('Pending', 'Accepted')
  and case o.status when 'Pending' then o.created_at else o.updated_at end < now() - make_interval(secs => $1::double precision)`;

const selectStale = (tenantId: string | null): string => `
select distinct o.tenant_id as "tenantId", o.task_id as "taskId" from user_task_operations o
where ${waits} ${tenantId === null ? '' : 'and o.tenant_id = $3'}
  and not exists (select from user_task_health_issues h
                  where h.tenant_id = o.tenant_id and h.task_id = o.task_id and h.code = 'stale-transition')
limit $2::integer`;

const selectSettled = (tenantId: string | null): string => `
select h.tenant_id as "tenantId", h.task_id as "taskId" from user_task_health_issues h
where h.origin = 'outside' and h.code = 'stale-transition' ${tenantId === null ? '' : 'and h.tenant_id = $3'}
  and not exists (select from user_task_operations o where o.tenant_id = h.tenant_id and o.task_id = h.task_id and ${waits})
limit $2::integer`;
