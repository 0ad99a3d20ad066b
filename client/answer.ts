import type { output } from 'zod/v4/core';
import type { Instant } from '../domain/instant';
import type { Json } from '../domain/json';
import type { TaskId } from '../domain/ids';
import type { ParticipantReference } from '../domain/user-tasks/participant';
import type { UserTaskResult } from '../domain/user-tasks/receipt';
import type { Action, Actions } from './task-definition';

interface AnswerOf<Key extends string, Data, By extends ParticipantReference | null> {
  /** Key of the action that was chosen, or of the reserved outcome: branch on it. */
  readonly action: Key;
  /** The same value, under the name that it has wherever the answer is stored. */
  readonly actionKey: Key;
  readonly data: Data;
  readonly completedBy: By;
  readonly completedAt: Instant;
  readonly taskId: TaskId;
}

/** Without a schema of the action's own: null, unless the task was raised with a provider's form. */
type ProviderData = Json;

type DataOf<A extends Action> = A extends { readonly schema: infer Schema }
  ? SchemaData<Schema>
  : ProviderData;
type SchemaData<Schema> = Schema extends { readonly _zod: { readonly output: unknown } }
  ? output<Schema>
  : ProviderData;

type ChosenAnswer<A extends Actions> = [keyof A] extends [never]
  ? AnswerOf<'Complete', null, ParticipantReference>
  : { readonly [K in keyof A & string]: AnswerOf<K, DataOf<A[K]>, ParticipantReference> }[keyof A &
      string];

/** A task with the timeout outcome was due before anybody finished it. */
export type TimeoutAnswer = AnswerOf<'Timeout', null, null>;

/** A manager, `completedBy`, ended a task that allows it. */
export type CancelledAnswer = AnswerOf<'Cancelled', null, ParticipantReference>;

/**
 * What the owner of a task gets: one member for each action, told apart by `action`, and one for each reserved outcome
 * that is enabled or may be (a flag that the compiler does not know counts as enabled).
 * @see UT-261..263, UT-267
 */
export type Answer<A extends Actions, Timeout extends boolean, Cancellation extends boolean> =
  | ChosenAnswer<A>
  | (true extends Timeout ? TimeoutAnswer : never)
  | (true extends Cancellation ? CancelledAnswer : never);

/**
 * The answer that a task's result stands for. The task itself saw to it that action and data fit its definition.
 */
export function answerOf<A extends Actions, Timeout extends boolean, Cancellation extends boolean>(
  result: UserTaskResult,
): Answer<A, Timeout, Cancellation> {
  const answer: AnswerOf<string, unknown, ParticipantReference | null> = {
    ...result,
    action: result.actionKey,
  };
  return answer as Answer<A, Timeout, Cancellation>;
}
