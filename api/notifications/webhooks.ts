import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Person } from '../../domain/user-tasks/actor';
import {
  isSameParticipant,
  parseParticipant,
  type ParticipantReference,
} from '../../domain/user-tasks/participant';
import { newWebhookSecret, sealSecrets } from '../../platform/webhook-secrets';
import type { Prisma } from '../../prisma/generated/client';
import { personOf } from '../authenticate';
import { parseBody } from '../parse-request';
import { Problem } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import {
  checkUrl,
  WEBHOOK_ID,
  webhookOf,
  webhookPath,
  WEBHOOKS_PATH,
  type WebhookRouteDependencies,
} from './webhook-endpoint';
import {
  createWebhookBody,
  presentWebhook,
  updateWebhookBody,
  webhookListWire,
  webhookWire,
  webhookWithSecretWire,
} from './webhook-wire';

/** Each is a copy of every notification of the tenant. */
const MOST_WEBHOOKS = 50;

/** `POST /user-task-webhooks`. */
export function createWebhookRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'post',
    path: WEBHOOKS_PATH,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'createWebhook',
      tags: ['Webhooks'],
      summary: 'Register a webhook',
      description:
        'Messages follow the Standard Webhooks rules. The secret that verifies them is in this answer and in no other.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: createWebhookBody } },
      },
      responses: {
        '201': {
          description: 'Registered.',
          headers: z.object({ Location: z.string() }),
          content: { 'application/json': { schema: webhookWithSecretWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'invalid-request'], true),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const { tenantId } = person.subject;
      const body = parseBody(createWebhookBody, request);
      checkUrl(body.url, deps.strictWebhooks);
      await checkNumber(deps, tenantId);
      const id = `${WEBHOOK_ID}${randomUUID()}`;
      const secret = newWebhookSecret();
      const key = { tenantId, endpointId: id };
      const endpoint = await deps.database.webhookEndpoint.create({
        data: {
          tenantId,
          id,
          url: body.url,
          secret: sealSecrets(deps.secretBox, key, { current: secret, previous: null }),
          types: body.types ?? [],
          ...(body.participant === undefined
            ? {}
            : { subject: viewerOf(body.participant, person) }),
        },
      });
      response.setHeader('Location', `${WEBHOOKS_PATH}/${id}`);
      response.status(201).json({ ...presentWebhook(endpoint), secret });
    },
  };
}

/** `GET /user-task-webhooks`. */
export function listWebhooksRoute({ database }: WebhookRouteDependencies): Route {
  return {
    method: 'get',
    path: WEBHOOKS_PATH,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'listWebhooks',
      tags: ['Webhooks'],
      summary: 'List the webhooks of your tenant',
      responses: {
        '200': {
          description: 'All, oldest first.',
          content: { 'application/json': { schema: webhookListWire } },
        },
        ...problemResponses(COMMON_PROBLEMS),
      },
    },
    handle: async (request, response) => {
      const { tenantId } = personOf(request).subject;
      const endpoints = await database.webhookEndpoint.findMany({
        where: { tenantId, id: { startsWith: WEBHOOK_ID } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      response.json({ items: endpoints.map(presentWebhook) });
    },
  };
}

/** `GET /user-task-webhooks/{webhookId}`. */
export function readWebhookRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'get',
    path: `${WEBHOOKS_PATH}/{webhookId}`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'readWebhook',
      tags: ['Webhooks'],
      summary: 'Read a webhook',
      requestParams: { path: webhookPath },
      responses: {
        '200': {
          description: 'The webhook, without its secret.',
          content: { 'application/json': { schema: webhookWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      response.json(presentWebhook(await webhookOf(deps, request)));
    },
  };
}

/** `PATCH /user-task-webhooks/{webhookId}`. */
export function updateWebhookRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'patch',
    path: `${WEBHOOKS_PATH}/{webhookId}`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'updateWebhook',
      tags: ['Webhooks'],
      summary: 'Change a webhook, or switch it off or on',
      requestParams: { path: webhookPath },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: updateWebhookBody } },
      },
      responses: {
        '200': {
          description: 'The webhook as it is now.',
          content: { 'application/json': { schema: webhookWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found', 'invalid-request'], true),
      },
    },
    handle: async (request, response) => {
      const { tenantId, id } = await webhookOf(deps, request);
      const { url, types, enabled } = parseBody(updateWebhookBody, request);
      if (url !== undefined) checkUrl(url, deps.strictWebhooks);
      const data = {
        ...(url === undefined ? {} : { url }),
        ...(types === undefined ? {} : { types }),
        ...(enabled === undefined ? {} : { enabled }),
      };
      const [endpoint] = await deps.database.$transaction([
        deps.database.webhookEndpoint.update({ where: { tenantId_id: { tenantId, id } }, data }),
        // What waits for an endpoint that is off would wait for ever, and keep the outbox from being emptied.
        deps.database.webhookDelivery.updateMany({
          where: { tenantId, endpointId: enabled === false ? id : '', status: 'Pending' },
          data: { status: 'Dead', lastErrorCode: 'endpoint-disabled' },
        }),
      ]);
      response.json(presentWebhook(endpoint));
    },
  };
}

/** `DELETE /user-task-webhooks/{webhookId}`. */
export function deleteWebhookRoute(deps: WebhookRouteDependencies): Route {
  return {
    method: 'delete',
    path: `${WEBHOOKS_PATH}/{webhookId}`,
    permission: 'user-tasks:supervise',
    operation: {
      operationId: 'deleteWebhook',
      tags: ['Webhooks'],
      summary: 'Remove a webhook with its deliveries',
      requestParams: { path: webhookPath },
      responses: {
        '204': { description: 'Removed.' },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const { tenantId, id } = await webhookOf(deps, request);
      await deps.database.webhookEndpoint.deleteMany({ where: { tenantId, id } });
      response.status(204).end();
    },
  };
}

async function checkNumber(
  { database }: WebhookRouteDependencies,
  tenantId: string,
): Promise<void> {
  const count = await database.webhookEndpoint.count({
    where: { tenantId, id: { startsWith: WEBHOOK_ID } },
  });
  if (count < MOST_WEBHOOKS) return;
  throw new Problem('invalid-request', `A tenant has at most ${MOST_WEBHOOKS} webhooks.`);
}

/**
 * Through whose eyes tasks are looked at: somebody's with nothing but `view`, or the caller's own as they are now. A
 * manager sees every task of the tenant, so naming another never shows the caller more.
 */
function viewerOf(
  given: NonNullable<z.output<typeof createWebhookBody>['participant']>,
  person: Person,
): Prisma.InputJsonObject {
  const own = person.subject;
  const subject = parsed({
    ...own,
    provider: given.provider ?? own.provider,
    id: given.id,
    displayName: given.displayName ?? null,
  });
  const isOwn = isSameParticipant(subject, own) && given.groups === undefined;
  const groups = isOwn
    ? person.groups
    : (given.groups ?? []).map((id) =>
        parsed({ ...subject, type: 'group', id, displayName: null }),
      );
  const grants = isOwn ? person.grants : ['user-tasks:view'];
  return {
    kind: 'person',
    subject: { ...subject },
    groups: groups.map((group) => ({ ...group })),
    grants: [...grants],
  };
}

function parsed(reference: ParticipantReference): ParticipantReference {
  const participant = parseParticipant(reference);
  if (typeof participant !== 'string') return participant;
  throw new Problem('invalid-request', 'The body is not valid.', {
    errors: [{ pointer: '/participant', detail: participant }],
  });
}
