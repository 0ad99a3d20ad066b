import { ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';
import { isRecord } from '../domain/json';
import { isRejectionCode, rejection, type Rejection } from '../domain/user-tasks/rejection';

/**
 * Why a task was refused when it was raised, or null when `error` is no refusal (a cancellation, say). The codes are
 * `invalid-definition`, `payload-too-large`, `cross-tenant-participant`, `owner-required` and `duplicate-materialization`.
 *
 * ```ts
 * try { await userTask(approval, input); }
 * catch (error) { if (userTaskRefusal(error)?.code !== 'payload-too-large') throw error; … }
 * ```
 * @param error - what the promise of `userTask()` was rejected with, or a failure caused by it
 * @see UT-032
 */
export function userTaskRefusal(error: unknown): Rejection | null {
  if (error instanceof ChildWorkflowFailure) return userTaskRefusal(error.cause);
  if (!(error instanceof ApplicationFailure) || !isRejectionCode(error.type)) return null;
  const detail: unknown = error.details?.[0];
  const given = isRecord(detail) ? detail['detail'] : undefined;
  return rejection(error.type, typeof given === 'string' ? given : error.message);
}
