import { request as requestPlain, type RequestOptions } from 'node:http';
import { request as requestSecure } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { isRecord } from '../../domain/json';
import {
  AddressRefused,
  hostOf,
  mayLeadOutside,
  publicLookup,
} from '../../platform/outbound-address';

/** One message to one address. */
export interface OutgoingWebhook {
  readonly url: string;
  /** The same for every attempt, so that the receiver recognises a repetition. */
  readonly id: string;
  readonly body: string;
  /** Secrets to sign with; receivers accept any. */
  readonly secrets: readonly string[];
  readonly sentAt: Date;
}

/** How messages are sent. */
export interface SendSettings {
  /** Refuse plain HTTP and closed addresses, as in production. */
  readonly strict: boolean;
  /** Milliseconds for everything, from looking up the name to the status of the answer. */
  readonly timeoutMs: number;
}

/** What became of an attempt. `code` says why it failed: `http-503`, `timeout`, `connection-failed`, … */
export type SendOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly code: string }
  /** The receiver wants no more (410). */
  | { readonly kind: 'gone'; readonly code: string };

/**
 * Sends a message by the Standard Webhooks rules and waits for the status of the answer, whose body is not read.
 * Redirects count as failures: where they lead was never registered.
 * @see https://www.standardwebhooks.com
 */
export async function sendWebhook(
  message: OutgoingWebhook,
  settings: SendSettings,
): Promise<SendOutcome> {
  const url = new URL(message.url);
  if (settings.strict && (url.protocol !== 'https:' || !mayLeadOutside(hostOf(url)))) {
    return { kind: 'failed', code: 'address-refused' };
  }
  const aborted = AbortSignal.timeout(settings.timeoutMs);
  try {
    return outcomeOf(await post(url, message, settings.strict, aborted));
  } catch (error) {
    return { kind: 'failed', code: failureOf(error, aborted) };
  }
}

function post(
  url: URL,
  message: OutgoingWebhook,
  strict: boolean,
  signal: AbortSignal,
): Promise<number> {
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  const options: RequestOptions = {
    method: 'POST',
    headers: headersOf(message),
    signal,
    // A connection of its own, so that every message goes where the name leads now.
    agent: false,
    ...(strict ? { lookup: publicLookup } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(message.body);
  });
}

function headersOf({ id, body, secrets, sentAt }: OutgoingWebhook): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body));
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Countersign',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

function outcomeOf(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return { kind: status === 410 ? 'gone' : 'failed', code: `http-${status}` };
}

function failureOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'timeout';
  if (error instanceof AddressRefused) return 'address-refused';
  const code = isRecord(error) ? error['code'] : null;
  if (code === 'ENOTFOUND') return 'name-unknown';
  return typeof code === 'string' && /TLS|CERT|SSL|SIGNATURE/.test(code)
    ? 'certificate-refused'
    : 'connection-failed';
}
