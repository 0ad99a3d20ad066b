import type { Json } from '../json';

/**
 * A way to finish a task: a literal outcome key, the label shown for it and optional safe metadata. `schema` is the JSON
 * Schema (2020-12) of the data that this action takes, or null when it takes none.
 * @see UT-078, UT-391
 */
export interface ActionDefinition {
  readonly key: string;
  readonly label: string;
  readonly metadata: Json;
  readonly schema: { readonly [key: string]: Json } | boolean | null;
}

/** Keys of the answers that no person gives. @see UT-080 */
export const RESERVED_ACTIONS = ['Timeout', 'Cancelled'] as const;

export type ReservedAction = (typeof RESERVED_ACTIONS)[number];

/** What a task without configured actions offers. @see UT-079 */
export const DEFAULT_ACTION: ActionDefinition = {
  key: 'Complete',
  label: 'Complete',
  metadata: null,
  schema: null,
};

/** Whether `key` is reserved exactly as spelled; other spellings are unknown keys. @see UT-080 */
export function isReservedAction(key: string): key is ReservedAction {
  return RESERVED_ACTIONS.includes(key as ReservedAction);
}
