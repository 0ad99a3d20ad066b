import { instantOf } from '../domain/instant';
import type { $ZodType } from 'zod/v4/core';
import type { ActionDefinition } from '../domain/user-tasks/action';
import { isRejection, parseInputs } from '../domain/user-tasks/definition';
import type { Json } from '../domain/json';
import { formSchemaOf } from './form-schema';
import type { UserTaskInput } from './user-task-input';

/** One way to finish a task. */
export interface Action {
  /** What people see on the button. */
  readonly label: string;
  /** Shape of the data that comes with this action; without it the action takes none. */
  readonly schema?: $ZodType;
  /** Safe presentation hints, handed on unchanged. */
  readonly metadata?: Json;
}

/** Actions by their key: the outcome on which the workflow branches. */
export type Actions = Readonly<Record<string, Action>>;

/** What a task without actions of its own offers. @see UT-079 */
export type DefaultActions = {
  readonly Complete: { readonly label: 'Complete' };
};

/** Refuses the reserved keys, in any letter case, where they are written. @see UT-080 */
export type NoReservedKeys<A> = {
  readonly [K in keyof A]: Lowercase<K & string> extends 'timeout' | 'cancelled' ? never : A[K];
};

/** What a definition may fix for all its tasks; an input of the same name wins. */
export type TaskDefaults = Pick<
  UserTaskInput,
  | 'summary'
  | 'tags'
  | 'taskType'
  | 'candidateUsers'
  | 'candidateGroups'
  | 'allowManagerExclusionOverride'
  | 'priority'
  | 'instructions'
>;

/** A template for user tasks, made by {@link defineTask}. The type parameters carry actions and enabled outcomes. */
export interface TaskDefinition<
  A extends Actions = Actions,
  Timeout extends boolean = boolean,
  Cancellation extends boolean = boolean,
> {
  readonly defaults: TaskDefaults & {
    readonly enableTimeoutOutcome: Timeout;
    readonly enableCancellationOutcome: Cancellation;
  };
  /** In the order in which they were written. */
  readonly actions: readonly ActionDefinition[];
  /** For the compiler only: nothing is there at run time. */
  readonly actionTypes?: A;
}

/**
 * Defines a kind of user task: its actions, the data that each takes, and what all its tasks have in common.
 *
 * ```ts
 * const invoiceApproval = defineTask({
 *   taskType: 'invoice-approval',
 *   actions: {
 *     approve: { label: 'Approve', schema: z.object({ amount: z.number() }) },
 *     reject: { label: 'Reject' },
 *   },
 *   enableTimeoutOutcome: true,
 * });
 * ```
 *
 * Action keys keep their order (JavaScript moves keys that are whole numbers to the front). Without actions a task has
 * one, `Complete`. The zod schemas become JSON Schema (2020-12) that the task's server checks before it accepts an
 * answer; refinements are not enforced. A task that is open keeps the schemas it was raised with.
 *
 * @throws {TypeError} for a schema that JSON Schema cannot express (transforms, dates, bigint, …), for a key that is
 * blank, reserved (`Timeout`, `Cancelled`) or a repetition in another letter case, for a blank label and for a default
 * out of bounds
 * @see UT-078..083, UT-267
 */
export function defineTask<
  const A extends Actions = DefaultActions,
  Timeout extends boolean = false,
  Cancellation extends boolean = false,
>(
  template: TaskDefaults & {
    readonly actions?: A & NoReservedKeys<A>;
    /** Whether the task ends with the answer `Timeout` when it is due; without it, it only becomes overdue. */
    readonly enableTimeoutOutcome?: Timeout;
    /** Whether a manager may end the task, with the answer `Cancelled`. */
    readonly enableCancellationOutcome?: Cancellation;
  },
): TaskDefinition<A, Timeout, Cancellation> {
  const {
    actions = {},
    enableTimeoutOutcome = false,
    enableCancellationOutcome = false,
    ...defaults
  } = template;
  const definition = {
    defaults: { ...defaults, enableTimeoutOutcome, enableCancellationOutcome },
    actions: Object.entries<Action>(actions).map(([key, action]) => actionOf(key, action)),
  };
  refuseWrong(definition);
  // The flags that were left out are false, which is also what their type parameters then say.
  return definition as TaskDefinition<A, Timeout, Cancellation>;
}

function actionOf(key: string, { label, metadata = null, schema }: Action): ActionDefinition {
  return {
    key,
    label,
    metadata,
    schema: schema === undefined ? null : formSchemaOf(schema, `action ${key}`),
  };
}

/** Asks the rules by which the task itself would refuse, so that a definition is wrong where it is written. */
function refuseWrong({ defaults, actions }: TaskDefinition): void {
  const { candidateUsers: _users, candidateGroups: _groups, ...checked } = defaults;
  const parsed = parseInputs(
    { ...checked, title: 'any', actions },
    { tenantId: '', now: instantOf(0), resolvedDueAt: null },
  );
  if (isRejection(parsed)) throw new TypeError(`This task cannot be defined: ${parsed.detail}.`);
}
