import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { killedAt } from '../activities/user-tasks/closure';
import type { Instant } from '../domain/instant';
import type { TaskCommand } from '../domain/user-tasks/commands';
import type { Receipt } from '../domain/user-tasks/receipt';
import {
  isRejectionCode,
  rejection,
  type FieldError,
  type Rejection,
} from '../domain/user-tasks/rejection';
import { commandSignals, commandUpdates, operationQuery } from '../workflows/messages';
import { KeyedLimiter } from './keyed-limiter';

/**
 * What became of an update: `accepted` with its receipt, `refused`, `closed` (the workflow has ended and does not know
 * the operation), `unknown` (no outcome in time: it may still be accepted) or `unreachable` (Temporal is away).
 */
export type UpdateOutcome =
  | { readonly kind: 'accepted'; readonly receipt: Receipt }
  | { readonly kind: 'refused'; readonly rejection: Rejection }
  | { readonly kind: 'closed' | 'unknown' | 'unreachable' };

/** What an already sent operation came to; `unrecorded` when the task does not know it. */
export type RecordedOutcome = UpdateOutcome | { readonly kind: 'unrecorded' };

export type SignalOutcome = 'sent' | 'closed' | 'unreachable';

/** Settings of the gateway. */
export interface GatewayOptions {
  /** Milliseconds that a caller waits for an outcome. */
  readonly answerTimeoutMs: number;
}

/** How long an answer may take before it is asked whether Temporal is there at all. */
const PATIENCE_MS = 1_000;

/** Temporal takes ten updates in flight per execution and then makes senders back off for seconds. */
const UPDATES_IN_FLIGHT = 8;

/** The one door from HTTP to Temporal: sends commands, reads what became of them, and translates every failure. */
export class TemporalGateway {
  readonly #client: Client;
  readonly #options: GatewayOptions;
  readonly #limiter = new KeyedLimiter(UPDATES_IN_FLIGHT);

  constructor(client: Client, options: GatewayOptions) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * Sends a command as an update under its operation id, so that repeating it returns the first answer.
   * @param workflowId - of the task
   */
  async update(workflowId: string, command: TaskCommand): Promise<UpdateOutcome> {
    const handle = this.#client.workflow.getHandle(workflowId);
    const deadline = Date.now() + this.#options.answerTimeoutMs;
    const once = (): Promise<UpdateOutcome> =>
      this.#client
        .withDeadline(deadline, () =>
          handle.executeUpdate(commandUpdates[command.kind], {
            args: [command],
            updateId: command.operationId,
          }),
        )
        .then(
          (receipt): UpdateOutcome => ({ kind: 'accepted', receipt }),
          (error: unknown) => this.#outcomeOf(error),
        );
    return this.#limiter.run(workflowId, async () => {
      const watch = new AbortController();
      try {
        return await Promise.race([untilKnown(once, deadline), this.#unreachable(watch.signal)]);
      } finally {
        watch.abort();
      }
    });
  }

  /**
   * Resolves once Temporal turns out to be away, long before the client gives up its own attempts; never while it
   * answers.
   */
  async #unreachable(signal: AbortSignal): Promise<UpdateOutcome> {
    for (;;) {
      await sleep(PATIENCE_MS, undefined, { ref: false });
      if (signal.aborted) return new Promise<never>(() => undefined);
      if (!(await this.isReachable())) return { kind: 'unreachable' };
    }
  }

  /** Sends a command as a signal: durable, unanswered, taken also while no worker runs. */
  async signal(workflowId: string, command: TaskCommand): Promise<SignalOutcome> {
    const handle = this.#client.workflow.getHandle(workflowId);
    const deadline = Date.now() + this.#options.answerTimeoutMs;
    try {
      await this.#client.withDeadline(deadline, () =>
        handle.signal(commandSignals[command.kind], command),
      );
      return 'sent';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'closed';
      if (isTransport(error)) return 'unreachable';
      throw error;
    }
  }

  /**
   * What became of an operation that was sent before, without sending anything: by the recorded outcome of its update,
   * else by asking the task, which also remembers signals and what was done before a continue-as-new.
   */
  async recorded(
    workflowId: string,
    operationId: string,
    timeoutMs: number,
  ): Promise<RecordedOutcome> {
    const handle = this.#client.workflow.getHandle(workflowId);
    const deadline = Date.now() + timeoutMs;
    try {
      const update = handle.getUpdateHandle<Receipt>(operationId);
      return {
        kind: 'accepted',
        receipt: await this.#client.withDeadline(deadline, () => update.result()),
      };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) return this.#outcomeOf(error);
    }
    try {
      const receipt = await this.#client.withDeadline(deadline, () =>
        handle.query(operationQuery, operationId),
      );
      return receipt === null ? { kind: 'unrecorded' } : { kind: 'accepted', receipt };
    } catch (error) {
      return error instanceof WorkflowNotFoundError ? { kind: 'closed' } : this.#outcomeOf(error);
    }
  }

  /** When somebody ended the workflow from outside; null when nobody did, or Temporal keeps it no more. */
  killedAt(workflowId: string): Promise<Instant | null> {
    return killedAt(this.#client, workflowId, this.#options.answerTimeoutMs);
  }

  /** Whether Temporal answers within a second. */
  async isReachable(): Promise<boolean> {
    const { connection } = this.#client;
    return this.#client
      .withDeadline(Date.now() + 1_000, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      );
  }

  async #outcomeOf(error: unknown): Promise<UpdateOutcome> {
    if (error instanceof WorkflowUpdateFailedError) {
      const refusal = rejectionOf(error.cause);
      if (refusal !== null) return { kind: 'refused', rejection: refusal };
      // Aborted by the close of the run: what it came to is asked of the workflow.
      return { kind: 'closed' };
    }
    if (error instanceof WorkflowNotFoundError) return { kind: 'closed' };
    if (!isTransport(error)) throw error;
    return { kind: (await this.isReachable()) ? 'unknown' : 'unreachable' };
  }
}

/** Temporal drops what is in flight when a task continues as new; its id makes sending it again harmless. */
async function untilKnown(
  send: () => Promise<UpdateOutcome>,
  deadline: number,
): Promise<UpdateOutcome> {
  for (let pauseMs = 20; Date.now() < deadline; pauseMs *= 2) {
    const outcome = await send();
    if (outcome.kind !== 'unknown') return outcome;
    await sleep(Math.max(0, Math.min(pauseMs, deadline - Date.now())));
  }
  return { kind: 'unknown' };
}

/** Whether a failure came from the way to Temporal and not from an answer of it. */
function isTransport(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  return error instanceof ServiceError || isGrpcServiceError(error);
}

/** The refusal that a task answered with, or null when the failure is none. */
function rejectionOf(cause: unknown): Rejection | null {
  if (!(cause instanceof ApplicationFailure) || !isRejectionCode(cause.type)) return null;
  const [details] = (cause.details ?? []) as {
    readonly errors?: readonly FieldError[];
    readonly revision?: number;
  }[];
  const refusal = rejection(cause.type, cause.message, details?.errors);
  return details?.revision === undefined ? refusal : { ...refusal, revision: details.revision };
}
