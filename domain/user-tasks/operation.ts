import type { Instant } from '../instant';
import type { CommandKind } from './commands';
import type { ParticipantReference } from './participant';

/** Kinds of operation records. @see UT-136, UT-398 */
export const OPERATION_KINDS = [
  'Claim',
  'Release',
  'Assign',
  'ScheduleUpdate',
  'Complete',
  'Timeout',
  'Cancel',
  'RetryResolution',
] as const;

export type OperationKind = (typeof OPERATION_KINDS)[number];

/** The kind under which each command is recorded. @see UT-398 */
export const OPERATION_KIND = {
  claim: 'Claim',
  release: 'Release',
  assign: 'Assign',
  update: 'ScheduleUpdate',
  complete: 'Complete',
  cancel: 'Cancel',
  retryResolution: 'RetryResolution',
} as const satisfies Record<CommandKind, OperationKind>;

/**
 * `Accepted` until the task is finalised (terminal kinds), else `Completed`; `Rejected` is a refused signal that is
 * kept; `Failed` was accepted and then undone from outside. `Pending` exists in rows only.
 */
export type OperationStatus = 'Accepted' | 'Completed' | 'Rejected' | 'Failed';

/**
 * The idempotent record of one command. Carries hashes of what was asked and nothing protected.
 * @see UT-135
 */
export interface OperationRecord {
  readonly operationId: string;
  readonly kind: OperationKind;
  /** Who asked; null for the system. */
  readonly subject: ParticipantReference | null;
  /** SHA-256, upper-case hex, over kind and canonical normalised content. @see UT-140, UT-141 */
  readonly requestHash: string;
  /** The same over the content as it was received, before any provider normalised it. @see UT-402 */
  readonly receivedHash: string;
  readonly expectedRevision: number;
  readonly status: OperationStatus;
  /** Why it was refused or failed. */
  readonly errorCode: string | null;
  readonly actionKey: string | null;
  /** Revision of the task once the operation was applied (unchanged for a rejected one). */
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** How the operation ids of timeouts begin, and no other's. @see UT-130 */
export const TIMEOUT_ID_PREFIX = 'timeout:';

/**
 * How many operations an open task remembers. Older ones are in the database, and one that comes back later than that
 * names a revision long gone, so it meets `revision-conflict` instead of running twice.
 */
export const REMEMBERED_OPERATIONS = 500;

/** `operations` with `record` put in place of the one with its id, or added at the end. */
export function withOperation(
  operations: readonly OperationRecord[],
  record: OperationRecord,
): readonly OperationRecord[] {
  const others = operations.filter((other) => other.operationId !== record.operationId);
  return [...others, record].slice(-REMEMBERED_OPERATIONS);
}
