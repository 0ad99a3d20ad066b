import { parsePerson, type Person } from '../../domain/user-tasks/actor';
import type { Prisma, PrismaClient, WebhookEndpoint } from '../../prisma/generated/client';
import { visibleTasks } from '../../prisma/task-relationships';

/** Id of the endpoint that stands, in every tenant, for the host's own sink. No route shows it. */
export const SINK_ID = 'sink';

const BATCH = 200;
const TRANSACTION_MS = 30_000;

interface Unplanned {
  readonly tenantId: string;
  readonly id: string;
  readonly taskId: string;
  readonly type: string;
}

interface Planned {
  readonly endpointId: string;
  readonly notificationId: string;
}

/**
 * Decides for new notifications where they go: to the enabled endpoints of their tenant that want the type and, if they
 * are bound to somebody, to whom the task is visible now. One process at a time plans, in the order of positions, so
 * that every endpoint gets its deliveries in that order.
 * @param sink - whether the host has a sink of its own
 * @returns how many notifications were planned; 0 also while another process plans
 * @see UT-268, UT-272
 */
export function planDeliveries(database: PrismaClient, sink: boolean, now: Date): Promise<number> {
  return database.$transaction(
    async (transaction) => {
      const [lock] = await transaction.$queryRaw<{ held: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtext('countersign plan deliveries')) as held`;
      if (lock?.held !== true) return 0;
      const unplanned = await transaction.$queryRawUnsafe<Unplanned[]>(SELECT_UNPLANNED);
      for (const tenantId of new Set(unplanned.map((notification) => notification.tenantId))) {
        const own = unplanned.filter((notification) => notification.tenantId === tenantId);
        if (sink) await ensureSink(transaction, tenantId);
        await add(transaction, tenantId, await planned(transaction, tenantId, own, sink), now);
        await transaction.userTaskNotification.updateMany({
          where: { tenantId, id: { in: own.map(({ id }) => id) } },
          data: { plannedAt: now },
        });
      }
      return unplanned.length;
    },
    { timeout: TRANSACTION_MS, maxWait: TRANSACTION_MS },
  );
}

async function planned(
  transaction: Prisma.TransactionClient,
  tenantId: string,
  notifications: readonly Unplanned[],
  sink: boolean,
): Promise<readonly Planned[]> {
  const endpoints = (
    await transaction.webhookEndpoint.findMany({ where: { tenantId, enabled: true } })
  ).filter(({ id }) => sink || id !== SINK_ID);
  const viewers = endpoints.map(viewerOf);
  const bound = viewers.filter((viewer) => viewer !== null);
  const taskIds = [...new Set(notifications.map(({ taskId }) => taskId))];
  const seen = await visibleTasks(transaction, tenantId, bound, taskIds);
  return endpoints.flatMap(({ id: endpointId, types, subject }, index) => {
    const viewer = viewers[index] ?? null;
    // One whose binding cannot be read is told nothing, and keeps nobody else waiting.
    const visible = viewer === null ? NOTHING : (seen[bound.indexOf(viewer)] ?? NOTHING);
    return notifications
      .filter(({ type }) => types.length === 0 || types.includes(type))
      .filter(({ taskId }) => subject === null || visible.has(taskId))
      .map(({ id }) => ({ endpointId, notificationId: id }));
  });
}

const NOTHING: ReadonlySet<string> = new Set();

/** The person to whom an endpoint is bound, with the groups and grants of its registration; null where there is none. */
function viewerOf({ subject }: WebhookEndpoint): Person | null {
  const person = parsePerson(subject);
  return typeof person === 'string' ? null : person;
}

async function ensureSink(transaction: Prisma.TransactionClient, tenantId: string): Promise<void> {
  await transaction.webhookEndpoint.createMany({
    data: [{ tenantId, id: SINK_ID, url: '', secret: '', types: [] }],
    skipDuplicates: true,
  });
}

async function add(
  transaction: Prisma.TransactionClient,
  tenantId: string,
  deliveries: readonly Planned[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return;
  await transaction.webhookDelivery.createMany({
    data: deliveries.map((delivery) => ({
      ...delivery,
      tenantId,
      status: 'Pending',
      availableAt: now,
    })),
    skipDuplicates: true,
  });
}

const SELECT_UNPLANNED = `
select tenant_id as "tenantId", id, task_id as "taskId", type from user_task_notifications
where planned_at is null order by position limit ${BATCH}`;
