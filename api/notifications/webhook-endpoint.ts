import type { Request } from 'express';
import { z } from 'zod';
import { webhookUrlFault } from '../../platform/outbound-address';
import type { SecretBox } from '../../platform/secret-box';
import type { PrismaClient, WebhookEndpoint } from '../../prisma/generated/client';
import { personOf } from '../authenticate';
import { notFound, Problem } from '../problem';

/** What the routes of webhooks need. */
export interface WebhookRouteDependencies {
  readonly database: PrismaClient;
  /** Keeps signing secrets. */
  readonly secretBox: SecretBox;
  /** Take only HTTPS and public addresses, as in production. */
  readonly strictWebhooks: boolean;
}

/** Ids of endpoints that people have made; others stand for a process's own. */
export const WEBHOOK_ID = 'whk_';

export const WEBHOOKS_PATH = '/user-task-webhooks';

export const webhookPath = z.object({
  webhookId: z.string().meta({ description: 'Id of the webhook.' }),
});

/**
 * The endpoint that the path names, of the caller's tenant.
 * @throws {Problem} `not-found`
 */
export async function webhookOf(
  { database }: Pick<WebhookRouteDependencies, 'database'>,
  request: Request,
): Promise<WebhookEndpoint> {
  const { tenantId } = personOf(request).subject;
  const id = request.params['webhookId'];
  if (typeof id !== 'string' || !/^whk_[0-9a-f-]{36}$/.test(id)) throw notFound();
  const endpoint = await database.webhookEndpoint.findUnique({
    where: { tenantId_id: { tenantId, id } },
  });
  if (endpoint === null) throw notFound();
  return endpoint;
}

/** @throws {Problem} `invalid-request` when messages may not be sent there */
export function checkUrl(url: string, strict: boolean): void {
  const fault = webhookUrlFault(url, strict);
  if (fault === null) return;
  throw new Problem('invalid-request', 'The body is not valid.', {
    errors: [{ pointer: '/url', detail: fault }],
  });
}

/** @throws {Problem} `invalid-request` when the endpoint is switched off, so that nothing would be sent */
export function requireEnabled(endpoint: WebhookEndpoint): void {
  if (!endpoint.enabled) {
    throw new Problem('invalid-request', 'The webhook is switched off. Switch it on first.');
  }
}

/** Calls the processes that send. */
export async function wakeDispatchers(database: PrismaClient): Promise<void> {
  await database.$executeRaw`select pg_notify('countersign', 'notification')`;
}
