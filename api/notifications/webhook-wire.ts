import { z } from 'zod';
import { isRecord } from '../../domain/json';
import { NOTIFICATION_TYPES, type NotificationType } from '../../domain/user-tasks/notification';
import { PARTICIPANT_LIMITS, parseParticipant } from '../../domain/user-tasks/participant';
import type { WebhookEndpoint } from '../../prisma/generated/client';
import { text } from '../user-tasks/command-schema';
import { participantOnWire, participantWire } from '../user-tasks/wire';

const instant = z.string().meta({ example: '2026-03-02T09:00:00.000Z' });

const types = z
  .array(z.enum(NOTIFICATION_TYPES))
  .max(NOTIFICATION_TYPES.length)
  .meta({ description: 'What to tell; empty for everything.' });

const MAXIMUM_URL = 2_000;
const MAXIMUM_GROUPS = 200;

const url = text(MAXIMUM_URL).meta({
  description: 'Where messages are posted. In production HTTPS, and no address of the own network.',
  example: 'https://example.com/countersign',
});

export const createWebhookBody = z.strictObject({
  url,
  types: types.optional(),
  participant: z
    .strictObject({
      provider: text(PARTICIPANT_LIMITS.provider)
        .min(1)
        .nullish()
        .meta({ description: 'Your own provider unless given.' }),
      id: text(PARTICIPANT_LIMITS.id).min(1),
      displayName: text(PARTICIPANT_LIMITS.displayName).nullish(),
      groups: z
        .array(text(PARTICIPANT_LIMITS.id).min(1))
        .max(MAXIMUM_GROUPS)
        .optional()
        .meta({ description: 'Ids of the groups by which tasks are visible to the participant.' }),
    })
    .optional()
    .meta({
      description:
        'Tells only of tasks that this user of your tenant may see. Nobody is signed in when a message is sent, so groups are those given here; where you name yourself and no groups, your present groups and grants.',
    }),
});

export const updateWebhookBody = z.strictObject({
  url: url.optional(),
  types: types.optional(),
  enabled: z.boolean().optional().meta({
    description: 'Switching off gives up what is still to be delivered; it can be retried later.',
  }),
});

export const webhookWire = z
  .strictObject({
    id: z.string().meta({ example: 'whk_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55' }),
    url: z.string(),
    types,
    participant: participantWire.nullable(),
    groups: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Groups as of the registration; null where bound to nobody.' }),
    enabled: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecretWire = z
  .strictObject({
    ...webhookWire.shape,
    secret: z.string().meta({ description: 'Shown this once.', example: 'whsec_…' }),
  })
  .meta({ id: 'WebhookWithSecret' });

export const webhookListWire = z
  .strictObject({ items: z.array(webhookWire) })
  .meta({ id: 'WebhookList' });

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

export const deliveryWire = z
  .strictObject({
    notificationId: z.string().meta({ description: 'The `webhook-id` of the message.' }),
    type: z.string(),
    taskId: z.string().nullable(),
    occurredAt: instant,
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    nextAttemptAt: instant.nullable(),
    lastErrorCode: z.string().nullable().meta({ example: 'http-503' }),
    deliveredAt: instant.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryPageWire = z
  .strictObject({ items: z.array(deliveryWire), nextCursor: z.string().nullable() })
  .meta({ id: 'WebhookDeliveryPage' });

export const pingWire = z.strictObject({ notificationId: z.string() }).meta({ id: 'WebhookPing' });

/** An endpoint as managers see it, without its secret. */
export function presentWebhook(endpoint: WebhookEndpoint): z.output<typeof webhookWire> {
  const subject = isRecord(endpoint.subject) ? parseParticipant(endpoint.subject['subject']) : null;
  const groups = isRecord(endpoint.subject) ? endpoint.subject['groups'] : null;
  return {
    id: endpoint.id,
    url: endpoint.url,
    types: endpoint.types as NotificationType[],
    participant:
      subject === null || typeof subject === 'string' ? null : participantOnWire(subject),
    groups: Array.isArray(groups) ? groups.flatMap(idOf) : null,
    enabled: endpoint.enabled,
    createdAt: endpoint.createdAt.toISOString(),
  };
}

function idOf(group: unknown): readonly string[] {
  return isRecord(group) && typeof group['id'] === 'string' ? [group['id']] : [];
}
