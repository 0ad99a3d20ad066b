/** Every code with which a command or a definition is refused. Their HTTP statuses are in `api/problem.ts`. @see UT-220 */
export const REJECTION_CODES = [
  'invalid-request',
  'permission-denied',
  'not-found',
  'revision-conflict',
  'idempotency-conflict',
  'terminal',
  'transition-in-progress',
  'not-claimable',
  'not-assigned',
  'command-expired',
  'invalid-action',
  'reserved-action',
  'form-required',
  'form-invalid',
  'form-resolution-failed',
  'form-provider-missing',
  'payload-too-large',
  'cancellation-disabled',
  'reason-required',
  'invalid-priority',
  'excluded-assignee',
  'cross-tenant-assignee',
  'invalid-assignee',
  'timeout-not-due',
  'invalid-definition',
  'cross-tenant-participant',
  'owner-required',
  'duplicate-materialization',
] as const;

export type RejectionCode = (typeof REJECTION_CODES)[number];

/** A place in the request that is wrong: JSON pointer (RFC 6901) and a text fit to show, never the value itself. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal: an answer, not an exception. `detail` is fit to show and repeats nothing protected. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Revision that the task has, where that is why it refused. */
  readonly revision?: number;
}

/** A refusal with this code and text. */
export function rejection(
  code: RejectionCode,
  detail: string,
  errors?: readonly FieldError[],
): Rejection {
  return errors === undefined ? { code, detail } : { code, detail, errors };
}

/** Whether `value` is one of the codes. */
export function isRejectionCode(value: unknown): value is RejectionCode {
  return REJECTION_CODES.includes(value as RejectionCode);
}
