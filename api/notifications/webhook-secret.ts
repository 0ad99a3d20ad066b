import {
  newWebhookSecret,
  openSecrets,
  rotated,
  sealSecrets,
} from '../../platform/webhook-secrets';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import {
  webhookOf,
  webhookPath,
  WEBHOOKS_PATH,
  type WebhookRouteDependencies,
} from './webhook-endpoint';
import { presentWebhook, webhookWithSecretWire } from './webhook-wire';

/** `POST /user-task-webhooks/{webhookId}/rotate-secret`. */
export function rotateSecretRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'post',
    path: `${WEBHOOKS_PATH}/{webhookId}/rotate-secret`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'rotateWebhookSecret',
      tags: ['Webhooks'],
      summary: 'Give a webhook a new secret',
      description:
        'For a day messages are signed with the secret before it as well, so that the receiver can change over.',
      requestParams: { path: webhookPath },
      responses: {
        '200': {
          description: 'The webhook with its new secret, shown this once.',
          content: { 'application/json': { schema: webhookWithSecretWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const endpoint = await webhookOf(deps, request);
      const { tenantId, id } = endpoint;
      const key = { tenantId, endpointId: id };
      const secret = newWebhookSecret();
      const secrets = rotated(
        openSecrets(deps.secretBox, key, endpoint.secret),
        secret,
        new Date(),
      );
      await deps.database.webhookEndpoint.update({
        where: { tenantId_id: { tenantId, id } },
        data: { secret: sealSecrets(deps.secretBox, key, secrets) },
      });
      response.json({ ...presentWebhook(endpoint), secret });
    },
  };
}
