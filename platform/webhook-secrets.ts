import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from './secret-box';

/** What an endpoint's messages are signed with: the secret, and for a while after a change the one before. */
export interface WebhookSecrets {
  /** `whsec_` and 32 bytes in base64, as the Standard Webhooks rules have it. */
  readonly current: string;
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

const stored = z.object({
  current: z.string(),
  previous: z.object({ secret: z.string(), until: z.string() }).nullable(),
});

const SECRET_BYTES = 32;

/** How long messages are signed with the old secret as well, so that a receiver can change over without a gap. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The secrets after a change. */
export function rotated(secrets: WebhookSecrets, secret: string, now: Date): WebhookSecrets {
  const until = new Date(now.getTime() + OVERLAP_MS).toISOString();
  return { current: secret, previous: { secret: secrets.current, until } };
}

/** The secrets with which a message is signed at this time, the current one first. */
export function signingSecrets(
  { current, previous }: WebhookSecrets,
  now: Date,
): readonly string[] {
  return previous !== null && now.toISOString() < previous.until
    ? [current, previous.secret]
    : [current];
}

/** Whose secrets they are. */
export interface EndpointKey {
  readonly tenantId: string;
  readonly endpointId: string;
}

/** As they stand in the endpoint's row. */
export function sealSecrets(box: SecretBox, key: EndpointKey, secrets: WebhookSecrets): string {
  return box.seal(JSON.stringify(secrets), contextOf(key));
}

/** @throws {Error} when they cannot be opened with the key ring */
export function openSecrets(box: SecretBox, key: EndpointKey, sealed: string): WebhookSecrets {
  return stored.parse(JSON.parse(box.open(sealed, contextOf(key))));
}

function contextOf({ tenantId, endpointId }: EndpointKey): string {
  return JSON.stringify(['webhook', tenantId, endpointId]);
}
