import { z } from 'zod';
import { parseQuery } from '../parse-request';
import { notFound } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { limitOf, one } from '../user-tasks/list-query';
import {
  requireEnabled,
  wakeDispatchers,
  webhookOf,
  webhookPath,
  WEBHOOKS_PATH,
  type WebhookRouteDependencies,
} from './webhook-endpoint';
import { DELIVERY_STATUSES, deliveryPageWire, deliveryWire } from './webhook-wire';

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

const parameters = z.object({
  status: one
    .pipe(z.enum(DELIVERY_STATUSES))
    .optional()
    .meta({ description: '`dead` lists what was given up.' }),
  cursor: one.optional().meta({ description: '`nextCursor` of the page before.' }),
  limit: one
    .optional()
    .meta({ description: `${DEFAULT_LIMIT} unless given, at most ${MAXIMUM_LIMIT}.` }),
});

interface DeliveryRow {
  readonly position: bigint;
  readonly notificationId: string;
  readonly type: string;
  readonly taskId: string;
  readonly occurredAt: Date;
  readonly status: 'Pending' | 'Delivered' | 'Dead';
  readonly attempts: number;
  readonly availableAt: Date;
  readonly lastErrorCode: string | null;
  readonly deliveredAt: Date | null;
}

/** `GET /user-task-webhooks/{webhookId}/deliveries`. */
export function listDeliveriesRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'get',
    path: `${WEBHOOKS_PATH}/{webhookId}/deliveries`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'listWebhookDeliveries',
      tags: ['Webhooks'],
      summary: 'List what was sent, is to be sent or was given up',
      requestParams: { path: webhookPath, query: parameters },
      responses: {
        '200': {
          description: 'One page, newest first.',
          content: { 'application/json': { schema: deliveryPageWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found', 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const { tenantId, id } = await webhookOf(deps, request);
      const { status, cursor, limit: asked } = parseQuery(parameters, request);
      const limit = limitOf(asked, DEFAULT_LIMIT, MAXIMUM_LIMIT);
      const rows = await deps.database.$queryRawUnsafe<DeliveryRow[]>(
        SELECT_DELIVERIES,
        tenantId,
        id,
        status === undefined ? null : stored(status),
        positionOf(cursor),
        limit + 1,
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      response.json({
        items: page.map(present),
        nextCursor: rows.length > limit && last !== undefined ? String(last.position) : null,
      } satisfies z.output<typeof deliveryPageWire>);
    },
  };
}

const deliveryPath = webhookPath.extend({
  notificationId: z.string().meta({ description: 'The `webhook-id` of the message.' }),
});

/** `POST /user-task-webhooks/{webhookId}/deliveries/{notificationId}/retry`. */
export function retryDeliveryRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'post',
    path: `${WEBHOOKS_PATH}/{webhookId}/deliveries/{notificationId}/retry`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'retryWebhookDelivery',
      tags: ['Webhooks'],
      summary: 'Deliver again what was given up',
      description:
        'With all its attempts anew; one that still waits is made due at once. What was delivered stays as it is.',
      requestParams: { path: deliveryPath },
      responses: {
        '202': {
          description: 'The delivery as it is now.',
          content: { 'application/json': { schema: deliveryWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found', 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const endpoint = await webhookOf(deps, request);
      requireEnabled(endpoint);
      const { tenantId, id } = endpoint;
      const notificationId = request.params['notificationId'];
      if (typeof notificationId !== 'string' || !/^ntf_[0-9a-f]{32}$/.test(notificationId))
        throw notFound();
      await deps.database.webhookDelivery.updateMany({
        where: { tenantId, endpointId: id, notificationId, status: { not: 'Delivered' } },
        data: { status: 'Pending', attempts: 0, availableAt: new Date() },
      });
      const [row] = await deps.database.$queryRawUnsafe<DeliveryRow[]>(
        SELECT_DELIVERY,
        tenantId,
        id,
        notificationId,
      );
      if (row === undefined) throw notFound();
      await wakeDispatchers(deps.database);
      response.status(202).json(present(row));
    },
  };
}

function present(row: DeliveryRow): z.output<typeof deliveryWire> {
  return {
    notificationId: row.notificationId,
    type: row.type,
    taskId: row.taskId === '' ? null : row.taskId,
    occurredAt: row.occurredAt.toISOString(),
    status: row.status.toLowerCase() as (typeof DELIVERY_STATUSES)[number],
    attempts: row.attempts,
    nextAttemptAt: row.status === 'Pending' ? row.availableAt.toISOString() : null,
    lastErrorCode: row.lastErrorCode,
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
  };
}

function stored(status: (typeof DELIVERY_STATUSES)[number]): DeliveryRow['status'] {
  return ({ pending: 'Pending', delivered: 'Delivered', dead: 'Dead' } as const)[status];
}

/** An unreadable cursor means the first page. */
function positionOf(cursor: string | undefined): bigint | null {
  return cursor !== undefined && /^\d{1,18}$/.test(cursor) ? BigInt(cursor) : null;
}

const SELECT = `
select n.position, n.id as "notificationId", n.type, n.task_id as "taskId", n.occurred_at as "occurredAt", d.status,
  d.attempts, d.available_at as "availableAt", d.last_error_code as "lastErrorCode", d.delivered_at as "deliveredAt"
from webhook_deliveries d
join user_task_notifications n on n.tenant_id = d.tenant_id and n.id = d.notification_id
where d.tenant_id = $1 and d.endpoint_id = $2`;

const SELECT_DELIVERY = `${SELECT} and d.notification_id = $3`;

const SELECT_DELIVERIES = `${SELECT}
  and ($3::text is null or d.status = $3) and ($4::bigint is null or n.position < $4)
order by n.position desc limit $5::integer`;
