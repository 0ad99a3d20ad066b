import { setTimeout as sleep } from 'node:timers/promises';
import {
  ownMembers,
  PING,
  webhookMessage,
  type PublishedNotification,
} from '../../domain/notifications/published-notification';
import type { NotificationType } from '../../domain/user-tasks/notification';
import type { TaskStatus } from '../../domain/user-tasks/task';
import type { SecretBox } from '../../platform/secret-box';
import { openSecrets, signingSecrets } from '../../platform/webhook-secrets';
import { SINK_ID } from './plan-deliveries';
import { sendWebhook, type SendOutcome, type SendSettings } from './send-webhook';

/** What a host does with every notification; called again until it succeeds. @see UT-059 */
export type NotificationSink = (notification: PublishedNotification) => Promise<void>;

/** What delivering needs. */
export interface DeliverDependencies extends SendSettings {
  readonly box: SecretBox;
  readonly sink: NotificationSink | null;
}

/** Where something goes. */
export interface Destination {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
}

/** A notification that waits for its delivery. */
export interface Waiting {
  readonly id: string;
  readonly attempts: number;
  readonly taskId: string;
  readonly type: string;
  readonly status: string;
  readonly revision: number;
  readonly data: unknown;
  readonly occurredAt: Date;
}

/** Makes one attempt; never throws. */
export async function deliver(
  deps: DeliverDependencies,
  destination: Destination,
  waiting: Waiting,
  now: Date,
): Promise<SendOutcome> {
  if (destination.endpointId === SINK_ID)
    return tellSink(deps, notificationOf(destination, waiting));
  let secrets: readonly string[];
  try {
    secrets = signingSecrets(openSecrets(deps.box, destination, destination.secret), now);
  } catch {
    return { kind: 'failed', code: 'secret-unreadable' };
  }
  const body = bodyOf(destination, waiting);
  return sendWebhook({ url: destination.url, id: waiting.id, body, secrets, sentAt: now }, deps);
}

async function tellSink(
  { sink, timeoutMs }: DeliverDependencies,
  notification: PublishedNotification,
): Promise<SendOutcome> {
  if (sink === null) return { kind: 'failed', code: 'no-sink' };
  const told = new AbortController();
  const late = sleep(timeoutMs, 'late' as const, { signal: told.signal }).catch(() => null);
  try {
    const first = await Promise.race([sink(notification), late]);
    return first === 'late' ? { kind: 'failed', code: 'timeout' } : { kind: 'delivered' };
  } catch {
    return { kind: 'failed', code: 'sink-failed' };
  } finally {
    told.abort();
  }
}

function bodyOf(destination: Destination, waiting: Waiting): string {
  if (waiting.type !== PING)
    return JSON.stringify(webhookMessage(notificationOf(destination, waiting)));
  const { tenantId } = destination;
  return JSON.stringify({
    type: PING,
    timestamp: waiting.occurredAt.toISOString(),
    data: { tenantId },
  });
}

/** As it is told outside: only what the catalogue names, whatever else the outbox holds. */
function notificationOf({ tenantId }: Destination, waiting: Waiting): PublishedNotification {
  const { id, type, taskId, status, revision, occurredAt, data } = waiting;
  return {
    id,
    type: type as NotificationType,
    occurredAt: occurredAt.toISOString(),
    tenantId,
    taskId,
    status: status as TaskStatus,
    revision,
    ...ownMembers(data),
  };
}
