import type { Person } from '../../domain/user-tasks/actor';
import type { PrismaClient } from '../../prisma/generated/client';
import { visibleTasks } from '../../prisma/task-relationships';
import { fed, OUTBOX_COLUMNS, type FedNotification, type OutboxRow } from './notification-feed';

/** More than a client would rather be told one by one. */
const MOST_MISSED = 1_000;

/**
 * What a reader has missed since `lastEventId`, as far as it concerns tasks that the reader may see now.
 *
 * The outbox is pruned from its lowest position upwards and without holes, so nothing above a position is gone as long
 * as something at or below it is still there.
 * @returns null when that cannot be told: the id is none, is not of this database, lies before what the outbox keeps, or
 *   too much has happened since
 */
export async function missedSince(
  database: PrismaClient,
  person: Person,
  lastEventId: string,
): Promise<readonly FedNotification[] | null> {
  const after = positionOf(lastEventId);
  if (after === null) return null;
  const { tenantId } = person.subject;
  // Read first: what is pruned meanwhile was there when it was read, or its absence shows below.
  const rows = await database.$queryRawUnsafe<OutboxRow[]>(SELECT_MISSED, tenantId, after);
  const [kept] = await database.$queryRawUnsafe<{ kept: boolean }[]>(SELECT_KEPT, after);
  if (kept?.kept !== true || rows.length > MOST_MISSED) return null;
  const missed = rows.flatMap(fed);
  const taskIds = [...new Set(missed.map(({ message }) => message.taskId))];
  const [seen] = await visibleTasks(database, tenantId, [person], taskIds);
  return missed.filter(({ message }) => seen?.has(message.taskId) === true);
}

/** A position fits into PostgreSQL's `bigint`. */
function positionOf(text: string): bigint | null {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}

const SELECT_MISSED = `
select ${OUTBOX_COLUMNS} from user_task_notifications
where tenant_id = $1 and position > $2::bigint
order by position limit ${MOST_MISSED + 1}`;

const SELECT_KEPT = `
select exists (select from user_task_notifications where position <= $1::bigint)
   and exists (select from user_task_notifications where position >= $1::bigint) as kept`;
