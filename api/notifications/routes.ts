import type { Route } from '../route';
import { listDeliveriesRoute, retryDeliveryRoute } from './deliveries';
import { pingWebhookRoute } from './ping-webhook';
import { streamRoute } from './stream';
import type { TaskStream } from './task-stream';
import type { WebhookRouteDependencies } from './webhook-endpoint';
import { rotateSecretRoute } from './webhook-secret';
import {
  createWebhookRoute,
  deleteWebhookRoute,
  listWebhooksRoute,
  readWebhookRoute,
  updateWebhookRoute,
} from './webhooks';

/** What the routes by which others are told of changes need. */
export interface NotificationRouteDependencies extends WebhookRouteDependencies {
  /** Null where live streams are switched off; then the route does not exist. */
  readonly stream: TaskStream | null;
  /** How often clients without a live stream should ask again. */
  readonly pollingIntervalSeconds: number;
}

/** The routes by which others are told of changes. */
export function notificationRoutes(deps: NotificationRouteDependencies): readonly Route[] {
  return [
    ...(deps.stream === null ? [] : [streamRoute(deps.stream)]),
    listWebhooksRoute(deps),
    createWebhookRoute(deps),
    readWebhookRoute(deps),
    updateWebhookRoute(deps),
    deleteWebhookRoute(deps),
    rotateSecretRoute(deps),
    pingWebhookRoute(deps),
    listDeliveriesRoute(deps),
    retryDeliveryRoute(deps),
  ];
}
