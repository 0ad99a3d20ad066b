import { HEALTH_ISSUES, type OutsideHealthCode } from '../../domain/user-tasks/health';
import type { Database } from './project';

/** A task, as rows name it. */
interface Task {
  readonly tenantId: string;
  readonly taskId: string;
}

/**
 * Raises an issue that is seen from outside: no revision, an audit-only event, and a notification. An issue that is
 * there already stays as it is, and a task without a row has none.
 * @returns whether it was raised now
 * @see UT-404, UT-406
 */
export async function raiseIssue(
  database: Database,
  task: Task,
  code: OutsideHealthCode,
): Promise<boolean> {
  const [severity, message] = HEALTH_ISSUES[code];
  const rows = await database.$queryRawUnsafe<unknown[]>(
    RAISE_ISSUE,
    task.tenantId,
    task.taskId,
    code,
    severity,
    message,
  );
  return rows.length > 0;
}

/**
 * Clears an issue that was raised from outside.
 * @returns whether there was one
 * @see UT-406
 */
export async function clearIssue(
  database: Database,
  task: Task,
  code: OutsideHealthCode,
): Promise<boolean> {
  const rows = await database.$queryRawUnsafe<unknown[]>(
    CLEAR_ISSUE,
    task.tenantId,
    task.taskId,
    code,
  );
  return rows.length > 0;
}

/** Locks the task, so that of two who append at one revision the second finds the ordinal of the first. */
const target = `target as (
  select t.tenant_id, t.id, t.epoch, t.revision, t.status from user_tasks t
  where t.tenant_id = $1 and t.id = $2 for update)`;

const tell = (raised: boolean): string => `
logged as (
  insert into user_task_events (tenant_id, task_id, epoch, revision, ordinal, id, event_type, occurred_at, actor,
    operation_id, reason, metadata)
  select t.tenant_id, t.id, t.epoch, t.revision,
    1 + coalesce((select max(e.ordinal) from user_task_events e where e.tenant_id = t.tenant_id and e.task_id = t.id
                  and e.epoch = t.epoch and e.revision = t.revision), 0),
    'evt_' || replace(gen_random_uuid()::text, '-', ''), 'HealthChanged', now(), null, null, null,
    jsonb_build_object('code', c.code, 'raised', ${raised})
  from target t, changed c),
told as (
  insert into user_task_notifications (tenant_id, id, task_id, type, status, revision, data, occurred_at)
  select t.tenant_id, 'ntf_' || replace(gen_random_uuid()::text, '-', ''), t.id, 'UserTaskHealthChanged', t.status, t.revision,
    '{"streamKind":"task.updated","changedFields":[],"operationId":null}', now()
  from target t, changed)
select code from changed`;

const RAISE_ISSUE = `
with ${target},
changed as (
  insert into user_task_health_issues (tenant_id, task_id, code, severity, message, since, origin)
  select t.tenant_id, t.id, $3, $4, $5, now(), 'outside' from target t
  on conflict do nothing
  returning code),
${tell(true)}`;

const CLEAR_ISSUE = `
with ${target},
changed as (
  delete from user_task_health_issues h using target t
  where h.tenant_id = t.tenant_id and h.task_id = t.id and h.code = $3 and h.origin = 'outside'
  returning h.code),
${tell(false)}`;
