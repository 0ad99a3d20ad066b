import type { PrismaClient } from '../../prisma/generated/client';

const BATCH = 1_000;

/**
 * Removes notifications that are older than `olderThan`, with their deliveries, dead letters included. What is still to
 * be planned or delivered stays, and so does everything after it: the outbox shrinks from its lowest position upwards
 * and gets no holes, by which a live stream knows whether it can resume. Tasks and their events are not touched.
 * @returns how many notifications were removed
 * @see UT-283
 */
export async function pruneNotifications(database: PrismaClient, olderThan: Date): Promise<number> {
  let removed = 0;
  for (;;) {
    const [row] = await database.$queryRawUnsafe<{ count: number }[]>(
      PRUNE,
      olderThan.toISOString(),
    );
    const count = row?.count ?? 0;
    removed += count;
    if (count < BATCH) return removed;
  }
}

const PRUNE = `
with stays as (
  select n.position from user_task_notifications n
  where n.planned_at is null or n.occurred_at >= $1::timestamptz or exists (
    select from webhook_deliveries d
    where d.tenant_id = n.tenant_id and d.notification_id = n.id and d.status = 'Pending')
  order by n.position limit 1),
going as (
  select position from user_task_notifications
  where position < coalesce((select position from stays), 9223372036854775807)
  order by position limit ${BATCH}),
gone as (
  delete from user_task_notifications n using going where n.position = going.position
  returning n.tenant_id, n.id),
deliveries as (
  delete from webhook_deliveries d using gone where d.tenant_id = gone.tenant_id and d.notification_id = gone.id)
select count(*)::integer as count from gone`;
