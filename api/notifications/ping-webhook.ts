import { randomUUID } from 'node:crypto';
import { PING } from '../../domain/notifications/published-notification';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import {
  requireEnabled,
  webhookOf,
  webhookPath,
  WEBHOOKS_PATH,
  type WebhookRouteDependencies,
} from './webhook-endpoint';
import { pingWire } from './webhook-wire';

/**
 * `POST /user-task-webhooks/{webhookId}/ping`. The message takes the way of every other, so that it tests the network of
 * the process that sends, and not of this one.
 */
export function pingWebhookRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'post',
    path: `${WEBHOOKS_PATH}/{webhookId}/ping`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'pingWebhook',
      tags: ['Webhooks'],
      summary: 'Send a test message',
      description: 'Its type is `WebhookPing`. What came of it is among the deliveries.',
      requestParams: { path: webhookPath },
      responses: {
        '202': {
          description: 'On its way.',
          content: { 'application/json': { schema: pingWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found', 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const endpoint = await webhookOf(deps, request);
      requireEnabled(endpoint);
      const { tenantId, id: endpointId } = endpoint;
      const notificationId = `ntf_${randomUUID().replaceAll('-', '')}`;
      const now = new Date();
      // Planned already: it goes nowhere else. The insertion wakes the processes that send.
      await deps.database.$executeRaw`
        with notification as (
          insert into user_task_notifications
            (tenant_id, id, task_id, type, status, revision, data, occurred_at, planned_at)
          values (${tenantId}, ${notificationId}, '', ${PING}, '', 0, '{}', ${now}, ${now}))
        insert into webhook_deliveries (tenant_id, endpoint_id, notification_id, status, available_at)
        values (${tenantId}, ${endpointId}, ${notificationId}, 'Pending', ${now})`;
      response.status(202).json({ notificationId });
    },
  };
}
