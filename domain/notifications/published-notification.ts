import { isRecord } from '../json';
import type { NotificationType } from '../user-tasks/notification';
import type { TaskStatus } from '../user-tasks/task';

/**
 * What hosts and webhook endpoints are told of a change: enough to ask again, nothing protected. The id is the same
 * however often it is delivered.
 * @see UT-268, UT-269, UT-272
 */
export interface PublishedNotification {
  readonly id: string;
  readonly type: NotificationType;
  /** When it happened, by the task's own clock. */
  readonly occurredAt: string;
  readonly tenantId: string;
  readonly taskId: string;
  /** Status and revision as of what it reports, not as of now. */
  readonly status: TaskStatus;
  readonly revision: number;
  /** Present on `UserTaskChanged`. */
  readonly changedFields?: readonly string[];
  /** Present on `UserTaskCompletionAccepted`. */
  readonly operationId?: string;
}

/** A test message that a manager has asked for; it concerns no task. */
export const PING = 'WebhookPing';

/** Body of a webhook message. @see https://www.standardwebhooks.com */
export interface WebhookMessage {
  readonly type: NotificationType | typeof PING;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The members of a notification that only some types have, from their stored form. Anything else stays behind. */
export function ownMembers(
  data: unknown,
): Pick<PublishedNotification, 'changedFields' | 'operationId'> {
  if (!isRecord(data)) return {};
  const { changedFields, operationId } = data;
  const changed = Array.isArray(changedFields)
    ? changedFields.filter((field) => typeof field === 'string')
    : [];
  return {
    ...(changed.length === 0 ? {} : { changedFields: changed }),
    ...(typeof operationId === 'string' ? { operationId } : {}),
  };
}

/** The message that tells a notification to an endpoint. */
export function webhookMessage({
  id: _id,
  type,
  occurredAt,
  ...data
}: PublishedNotification): WebhookMessage {
  return { type, timestamp: occurredAt, data };
}
