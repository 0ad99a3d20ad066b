import type { Instant } from '../../instant';
import type { CommandBase, TaskCommand } from '../commands';
import type { EventRecord } from '../event-record';
import type { OperationRecord } from '../operation';
import type { Rejection } from '../rejection';
import type { TaskState, TransitionEvent } from '../task';

/**
 * A task with the operations it remembers (all that a decision depends on) and with its events as they are stored, so
 * that rows and timeline can be rebuilt from it.
 */
export interface TaskRecord {
  readonly task: TaskState;
  readonly operations: readonly OperationRecord[];
  readonly events: readonly EventRecord[];
}

/** What a decision needs to know beside the task and the command. */
export interface DecisionContext {
  readonly now: Instant;
  /** Whether a terminal command may finish the task in the same step, since nothing waits to be projected. @see UT-114 */
  readonly canClose: boolean;
}

/** What a command would do. `repeated` answers a replay from the record; nothing changes. */
export type Decision =
  | {
      readonly kind: 'accepted';
      readonly events: readonly TransitionEvent[];
      readonly operation: OperationRecord | null;
    }
  | { readonly kind: 'repeated'; readonly operation: OperationRecord }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/** One question asked of a command: a refusal, or null to go on to the next. */
export type Check<C extends CommandBase = TaskCommand> = (
  record: TaskRecord,
  command: C,
  context: DecisionContext,
) => Rejection | null;

/**
 * A verb: its checks in the order in which they are answered (UT-147, UT-148), and the events that follow when all
 * pass.
 */
export interface Verb<C extends CommandBase> {
  readonly checks: readonly Check<C>[];
  readonly events: (
    record: TaskRecord,
    command: C,
    context: DecisionContext,
  ) => readonly TransitionEvent[];
}
