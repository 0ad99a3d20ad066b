import { randomUUID } from 'node:crypto';
import type { Json } from '../../domain/json';
import type { TaskId } from '../../domain/ids';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { OperationKind } from '../../domain/user-tasks/operation';
import type { Receipt } from '../../domain/user-tasks/receipt';
import type { PrismaClient } from '../../prisma/generated/client';

/** Something that no workflow decides and that the timeline keeps. Safe content only. @see UT-404 */
export interface AuditEvent {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly kind: 'FieldRevealed' | 'PrivilegedOperationFailed' | 'HealthChanged';
  readonly actor: ParticipantReference | null;
  readonly operationId: string | null;
  readonly metadata: Json;
}

/** Operations whose refusal is worth an entry: those that only managers may ask for. @see UT-405 */
export const PRIVILEGED_KINDS: readonly string[] = [
  'Assign',
  'ScheduleUpdate',
  'Cancel',
  'RetryResolution',
] satisfies readonly OperationKind[];

/**
 * Keeps in the timeline that a privileged signal was refused; once, however often it is projected. A refusal for want of
 * the grant is no such entry: whoever may not even ask is told so where they ask.
 * @see UT-156, UT-405
 */
export async function recordRefusedSignal(database: PrismaClient, receipt: Receipt): Promise<void> {
  const { operation, tenantId, taskId } = receipt;
  if (operation?.status !== 'Rejected' || !PRIVILEGED_KINDS.includes(operation.kind)) return;
  const { operationId, errorCode, kind, subject } = operation;
  if (errorCode === 'permission-denied' || errorCode === 'invalid-request') return;
  const known = await database.userTaskEvent.count({
    where: { tenantId, taskId, eventType: 'PrivilegedOperationFailed', operationId },
  });
  if (known > 0) return;
  const metadata = {
    operation: kind,
    code: errorCode === 'not-found' ? 'permission-denied' : errorCode,
  };
  const entry = {
    tenantId,
    taskId,
    kind: 'PrivilegedOperationFailed',
    actor: subject,
    operationId,
    metadata,
  } as const;
  await appendAuditEvent(database, entry);
}

const TRIES = 10;

/**
 * Appends an event at the revision that the task has now, after its other events there; the revision stays, so that
 * reading never makes a writer conflict. For a task that is not there nothing happens.
 * @see UT-138, UT-162, UT-404
 */
export async function appendAuditEvent(database: PrismaClient, event: AuditEvent): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const [result] = await database.$queryRawUnsafe<{ present: boolean; added: boolean }[]>(
      APPEND,
      event.tenantId,
      event.taskId,
      `evt_${randomUUID().replaceAll('-', '')}`,
      event.kind,
      event.actor === null ? null : JSON.stringify(event.actor),
      event.operationId,
      event.metadata === null ? null : JSON.stringify(event.metadata),
    );
    if (result === undefined || !result.present || result.added) return;
    // Another one took the place at the same moment.
  }
  throw new Error(`no place for an event of user task ${event.taskId}`);
}

const APPEND = `
with task as (select tenant_id, id, epoch, revision from user_tasks where tenant_id = $1 and id = $2),
added as (
  insert into user_task_events (tenant_id, task_id, epoch, revision, ordinal, id, event_type, occurred_at, actor,
    operation_id, reason, metadata)
  select t.tenant_id, t.id, t.epoch, t.revision,
    1 + coalesce((select max(e.ordinal) from user_task_events e where e.tenant_id = t.tenant_id and e.task_id = t.id
                  and e.epoch = t.epoch and e.revision = t.revision), 0),
    $3, $4, clock_timestamp(), $5::jsonb, $6, null, $7::jsonb
  from task t
  on conflict do nothing
  returning id)
select exists (select from task) as present, exists (select from added) as added`;
