import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CommandKind } from '../domain/user-tasks/commands';
import type { TaskId } from '../domain/ids';
import type { Receipt, TaskSnapshot } from '../domain/user-tasks/receipt';
import type { TaskRecord } from '../domain/user-tasks/decide/decision';

/** Type name of the workflow that is a user task. */
export const USER_TASK_WORKFLOW = 'userTask';

/**
 * Every verb as an update (the sender wants the outcome) and as a signal of the same name (the sender wants durability).
 * The argument is one command object, read by `parseCommand`: `unknown` here, since anybody may send one.
 * @see UT-398, UT-399
 */
export const commandUpdates = {
  claim: defineUpdate<Receipt, [unknown], 'claim'>('claim'),
  release: defineUpdate<Receipt, [unknown], 'release'>('release'),
  assign: defineUpdate<Receipt, [unknown], 'assign'>('assign'),
  update: defineUpdate<Receipt, [unknown], 'update'>('update'),
  complete: defineUpdate<Receipt, [unknown], 'complete'>('complete'),
  cancel: defineUpdate<Receipt, [unknown], 'cancel'>('cancel'),
  retryResolution: defineUpdate<Receipt, [unknown], 'retryResolution'>('retryResolution'),
} as const satisfies Record<CommandKind, unknown>;

export const commandSignals = {
  claim: defineSignal<[unknown], 'claim'>('claim'),
  release: defineSignal<[unknown], 'release'>('release'),
  assign: defineSignal<[unknown], 'assign'>('assign'),
  update: defineSignal<[unknown], 'update'>('update'),
  complete: defineSignal<[unknown], 'complete'>('complete'),
  cancel: defineSignal<[unknown], 'cancel'>('cancel'),
  retryResolution: defineSignal<[unknown], 'retryResolution'>('retryResolution'),
} as const satisfies Record<CommandKind, unknown>;

/** Everything the task holds; answered also after it has closed, while Temporal keeps its history. */
export const snapshotQuery = defineQuery<TaskSnapshot>('snapshot');

/** The receipt of an operation, made again from what the task remembers; null when it neither accepted nor kept it. */
export const operationQuery = defineQuery<Receipt | null, [string]>('operation');

/** Argument of the `userTask` workflow. `userTask()` in `client/workflow.ts` builds it. */
export interface UserTaskStart {
  readonly tenantId: string;
  readonly taskId: TaskId;
  /** The owner's step; fixed together with the task id. @see UT-017 */
  readonly activityInstanceId: string;
  /** As the owner gave them: read and refused by the task itself. */
  readonly inputs: unknown;
  readonly ownerDefinition: {
    readonly id: string;
    readonly name: string;
    readonly version: string | null;
    readonly instanceReference: string | null;
  };
  /** What the run before this one hands over; absent in the first. */
  readonly continued?: { readonly record: TaskRecord; readonly lineage: readonly string[] };
  /** Milliseconds within which what the task needs from outside must be resolved; 30,000 unless given. @see UT-385 */
  readonly activationResolutionTimeoutMs?: number;
  /** Events of history after which the task continues as new; 4,000 unless given. */
  readonly historyLimit?: number;
}
