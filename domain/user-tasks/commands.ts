import type { Instant } from '../instant';
import type { Json } from '../json';
import type { Actor } from './actor';
import type { ParticipantReference } from './participant';
import type { Resolution } from './resolution';

/** What every command carries. */
export interface CommandBase {
  /** The sender's key for one submission; repeated on retries. @see UT-139 */
  readonly operationId: string;
  /** The revision that the sender had seen. @see UT-137 */
  readonly expectedRevision: number;
  readonly actor: Actor;
  /** Reaching the task later, the command is refused; null for no deadline. Not part of the hash. @see UT-401 */
  readonly notAfter: Instant | null;
  /** Whether the sender writes the projection once it has the receipt; if not, the task does. */
  readonly projectedBySender: boolean;
  /**
   * The list in the database by which the sender found the actor entitled: such lists are not in the task's state.
   * Every change of one raises the revision, so a stale finding is a conflict.
   * @see UT-403
   */
  readonly entitledBy: Entitlement | null;
}

/** Lists of people that stay in the database. */
export type Entitlement = 'SnapshotMember';

export interface ClaimCommand extends CommandBase {
  readonly kind: 'claim';
}

export interface ReleaseCommand extends CommandBase {
  readonly kind: 'release';
  readonly reason: string | null;
}

export interface AssignCommand extends CommandBase {
  readonly kind: 'assign';
  readonly assignee: ParticipantReference;
  readonly reason: string | null;
}

/** Changes priority, due date or both; an absent member stays, a null `dueAt` clears. @see UT-124 */
export interface UpdateCommand extends CommandBase {
  readonly kind: 'update';
  readonly priority?: number;
  readonly dueAt?: Instant | null;
  /**
   * The due date as its sender wrote it, where that was no instant: a repetition is recognised by this, since a duration
   * means another instant each time.
   */
  readonly dueAtAsGiven?: Json;
}

export interface CompleteCommand extends CommandBase {
  readonly kind: 'complete';
  readonly actionKey: string;
  /** Data for the action's form, or null; normalised once `receivedHash` is set. Protected. */
  readonly data: Json;
  /**
   * Hash of the request before its data was normalised, set by whoever validated and normalised it; null while nobody
   * has, and then the task has it done before it decides.
   * @see UT-392, UT-402
   */
  readonly receivedHash: string | null;
}

export interface CancelCommand extends CommandBase {
  readonly kind: 'cancel';
  readonly reason: string;
}

/** Asks the providers and the directory again for what could not be resolved. @see UT-167 */
export interface RetryResolutionCommand extends CommandBase {
  readonly kind: 'retryResolution';
}

/** A command that people and programs send, as update or as signal. */
export type TaskCommand =
  | ClaimCommand
  | ReleaseCommand
  | AssignCommand
  | UpdateCommand
  | CompleteCommand
  | CancelCommand
  | RetryResolutionCommand;

export type CommandKind = TaskCommand['kind'];

/** Every command kind, in the order of the catalogue. @see UT-398 */
export const COMMAND_KINDS = [
  'claim',
  'release',
  'assign',
  'update',
  'complete',
  'cancel',
  'retryResolution',
] as const satisfies readonly CommandKind[];

/**
 * What the task tells itself: no route, update or signal asks for these. `expire` is the due timer, `withdraw` the end
 * of the owner's wait or of the task's own workflow from outside, `resolve` the answer to a retried
 * resolution, `finalise` the end of a transition.
 */
export type SystemCommand =
  | { readonly kind: 'expire'; readonly dueAt: Instant }
  | { readonly kind: 'withdraw'; readonly cause: 'owner' | 'terminated' }
  | { readonly kind: 'resolve'; readonly resolution: Resolution }
  | { readonly kind: 'finalise' };

/** Longest operation id and reason, in characters. @see UT-139, UT-288 */
export const COMMAND_LIMITS = { operationId: 450, reason: 4000 } as const;
