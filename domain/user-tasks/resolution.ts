import type { Instant } from '../instant';
import type { FormFailure, PinnedForm } from './form';
import type { ParticipantReference } from './participant';

/** Why the members of candidate groups could not be found. @see UT-067 */
export type SnapshotFailure = 'snapshot-directory-missing' | 'snapshot-resolution-failed';

/**
 * Members of candidate groups, enumerated once. The members themselves are in the database under `snapshotId`; the task
 * knows how many there are.
 */
export interface MembershipSnapshot {
  readonly snapshotId: string;
  readonly memberCount: number;
  /** Members who are not excluded. */
  readonly eligibleCount: number;
  /** Groups that could not be enumerated, and are no route until a retry finds their members. @see UT-390 */
  readonly failedGroups: readonly ParticipantReference[];
}

/** What the outside world answered when the task was activated or repaired. Null where nothing was asked. */
export interface Resolution {
  readonly form: { readonly pinned: PinnedForm } | { readonly failure: FormFailure } | null;
  readonly membership: {
    readonly snapshot: MembershipSnapshot;
    readonly failure: SnapshotFailure | null;
  } | null;
  /** The instant of a due date given as local date and zone; `invalid` when there is no such date or zone. */
  readonly dueAt: Instant | 'invalid' | null;
}

/** The answer of a task that asks nothing. */
export const NOTHING_RESOLVED: Resolution = { form: null, membership: null, dueAt: null };
