import { delayAfter } from '../../domain/notifications/retry-schedule';
import type { Logger } from '../../platform/logger';
import type { PrismaClient } from '../../prisma/generated/client';
import { deliver, type DeliverDependencies, type Destination, type Waiting } from './deliver';
import { SINK_ID } from './plan-deliveries';
import type { SendOutcome } from './send-webhook';

/** What sending to endpoints needs. */
export interface LaneDependencies extends DeliverDependencies {
  readonly database: PrismaClient;
  readonly log: Logger;
  readonly now: () => Date;
  /** Milliseconds between the attempts of one delivery. */
  readonly retryDelaysMs: readonly number[];
  /** Milliseconds for which an endpoint that has failed is left in peace. */
  readonly pauseMs: number;
}

/** An endpoint that this process alone sends to for the time being. */
export interface Lane extends Destination {
  /** Until when; also tells whether the lane is still ours. */
  readonly leasedUntil: Date;
}

/** Longer than any attempt, so that a process that is alive never loses its lane in the middle of one. */
const LEASE_MS = 60_000;

/** Deliveries of one turn; then others may take the lane. */
const TURN = 100;

/**
 * Takes endpoints for which something is due and to which no other process is sending. Those that have failed of late
 * come last, so that broken endpoints, however many, do not keep the others waiting.
 */
export async function takeLanes(deps: LaneDependencies, limit: number): Promise<readonly Lane[]> {
  const now = deps.now();
  const until = new Date(now.getTime() + LEASE_MS);
  return deps.database.$queryRawUnsafe<Lane[]>(
    TAKE_LANES,
    now.toISOString(),
    until.toISOString(),
    deps.sink !== null,
    limit,
  );
}

/**
 * Sends what is due to one endpoint, one after the other in the order of the outbox, until nothing is due, an attempt
 * fails or `stopped` says so. After a failure the endpoint is left in peace for a while; what has failed then comes
 * first again if its time has come, else later messages go ahead. So order is kept as far as retries allow.
 */
export async function serveLane(
  deps: LaneDependencies,
  lane: Lane,
  stopped: () => boolean,
): Promise<void> {
  let { leasedUntil } = lane;
  for (let sent = 0; sent < TURN && !stopped(); sent += 1) {
    const now = deps.now();
    const [waiting] = await deps.database.$queryRawUnsafe<Waiting[]>(
      NEXT_DUE,
      lane.tenantId,
      lane.endpointId,
      now.toISOString(),
    );
    if (waiting === undefined) break;
    const renewed = await holdLane(deps, lane, leasedUntil, LEASE_MS);
    if (renewed === null) return;
    leasedUntil = renewed;
    const outcome = await deliver(deps, lane, waiting, now);
    await record(deps, lane, waiting, outcome);
    if (outcome.kind !== 'delivered') {
      await holdLane(deps, lane, leasedUntil, deps.pauseMs);
      return;
    }
  }
  await holdLane(deps, lane, leasedUntil, null);
}

/** Sets for how long the lane is held, if it still is ours. @returns until when; null when it is ours no more */
async function holdLane(
  { database, now }: LaneDependencies,
  { tenantId, endpointId }: Lane,
  leasedUntil: Date,
  milliseconds: number | null,
): Promise<Date | null> {
  const until = milliseconds === null ? null : new Date(now().getTime() + milliseconds);
  const { count } = await database.webhookEndpoint.updateMany({
    where: { tenantId, id: endpointId, leasedUntil },
    data: { leasedUntil: until },
  });
  return count === 1 ? until : null;
}

async function record(
  deps: LaneDependencies,
  { tenantId, endpointId }: Lane,
  { id, attempts }: Waiting,
  outcome: SendOutcome,
): Promise<void> {
  const { database, log } = deps;
  const delivery = { tenantId, endpointId, notificationId: id };
  const now = deps.now();
  if (outcome.kind === 'delivered') {
    await database.webhookDelivery.updateMany({
      where: delivery,
      data: { status: 'Delivered', attempts: attempts + 1, deliveredAt: now, lastErrorCode: null },
    });
    return;
  }
  if (outcome.kind === 'gone') return disable(deps, delivery, attempts + 1, outcome.code);
  const delay = nextDelay(deps, endpointId, attempts + 1);
  // An endpoint may have been switched off meanwhile, which ends its deliveries.
  await database.webhookDelivery.updateMany({
    where: { ...delivery, status: 'Pending' },
    data: {
      attempts: attempts + 1,
      lastErrorCode: outcome.code,
      ...(delay === null ? { status: 'Dead' } : { availableAt: new Date(now.getTime() + delay) }),
    },
  });
  const dead = delay === null ? 'was given up' : 'failed';
  log.warn({ endpointId, notificationId: id, code: outcome.code }, `a delivery ${dead}`);
}

/** Null when there is no further attempt. The host's own sink is told until it listens. */
function nextDelay(
  { retryDelaysMs }: LaneDependencies,
  endpointId: string,
  attempts: number,
): number | null {
  const delay = delayAfter(attempts, retryDelaysMs);
  return endpointId === SINK_ID ? (delay ?? retryDelaysMs.at(-1) ?? 0) : delay;
}

/** The receiver has said that it is gone for good: no more is sent until somebody switches it on again. */
async function disable(
  { database, log }: LaneDependencies,
  delivery: { tenantId: string; endpointId: string; notificationId: string },
  attempts: number,
  code: string,
): Promise<void> {
  const { tenantId, endpointId } = delivery;
  await database.$transaction([
    database.webhookEndpoint.updateMany({
      where: { tenantId, id: endpointId },
      data: { enabled: false },
    }),
    database.webhookDelivery.updateMany({
      where: delivery,
      data: { attempts, lastErrorCode: code, status: 'Dead' },
    }),
    database.webhookDelivery.updateMany({
      where: { tenantId, endpointId, status: 'Pending' },
      data: { lastErrorCode: 'endpoint-disabled', status: 'Dead' },
    }),
  ]);
  log.warn({ endpointId }, 'a webhook was disabled, since its receiver is gone');
}

const TAKE_LANES = `
with due as (
  select e.tenant_id, e.id from webhook_endpoints e
  where e.enabled and (e.leased_until is null or e.leased_until <= $1::timestamptz)
    and ($3::boolean or e.id <> '${SINK_ID}')
    and exists (
      select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.endpoint_id = e.id
        and d.status = 'Pending' and d.available_at <= $1::timestamptz)
  order by e.leased_until nulls first
  limit $4::integer for update skip locked)
update webhook_endpoints e set leased_until = $2::timestamptz
from due where e.tenant_id = due.tenant_id and e.id = due.id
returning e.tenant_id as "tenantId", e.id as "endpointId", e.url, e.secret, e.leased_until as "leasedUntil"`;

const NEXT_DUE = `
select n.id, d.attempts, n.task_id as "taskId", n.type, n.status, n.revision, n.data, n.occurred_at as "occurredAt"
from webhook_deliveries d
join user_task_notifications n on n.tenant_id = d.tenant_id and n.id = d.notification_id
where d.tenant_id = $1 and d.endpoint_id = $2 and d.status = 'Pending' and d.available_at <= $3::timestamptz
order by n.position limit 1`;
