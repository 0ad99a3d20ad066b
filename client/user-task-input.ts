import type { LocalDateTime } from '../domain/due-at';
import type { Json } from '../domain/json';
import type { MembershipResolutionMode } from '../domain/user-tasks/definition';
import type { Participant } from './participants';

/** Which form, of which provider, in which version; the provider's newest unless told. @see UT-014 */
export interface UserTaskForm {
  readonly providerName: string;
  readonly key: string;
  /** How the provider is to choose a version: `latest`, `version:3`. */
  readonly binding?: string | null;
  readonly version?: string | null;
}

/**
 * What one task is raised with, besides its definition. Everything is evaluated once and frozen into the task; of all
 * this only priority and due date can change later. An absent member takes the definition's, then the default.
 * @see UT-014
 */
export interface UserTaskInput {
  /** Shown in lists and in the Temporal UI, so nothing secret; 1 to 500 characters. */
  readonly title: string;
  /** Safe, up to 4,000 characters. */
  readonly summary?: string | null;
  /** Safe: the author's own key, for example an invoice number; up to 500 characters. */
  readonly reference?: string | null;
  /** Safe; a set, whatever the letter case. */
  readonly tags?: readonly string[];
  /** Safe: a name for this kind of task by which people filter. */
  readonly taskType?: string | null;
  /** Informational only. */
  readonly requester?: Participant | null;
  /** Who holds the task from the start, instead of claiming it. */
  readonly assignee?: Participant | null;
  readonly candidateUsers?: readonly Participant[];
  readonly candidateGroups?: readonly Participant[];
  /** Who may never hold it: for four eyes, who did the step before. */
  readonly excludedUsers?: readonly Participant[];
  /** Whether a manager with a reason may still assign an excluded user; false unless given. */
  readonly allowManagerExclusionOverride?: boolean;
  /** 0 to 100, 50 unless given. */
  readonly priority?: number;
  /**
   * When it should be done: a Date; a timestamp with an offset (RFC 3339); an ISO 8601 duration from the start of the
   * task, `P2D`; or a date or time in a zone, `{ localDate: '2026-12-24', timeZone: 'Europe/Amsterdam' }`, a date alone
   * meaning until that day has ended.
   */
  readonly dueAt?: Date | string | LocalDateTime | null;
  /**
   * Whether members of candidate groups are asked for when somebody acts (`Live`, the default) or found once, when the
   * task starts, and kept (`Snapshot`).
   */
  readonly membershipResolutionMode?: MembershipResolutionMode;
  /** A provider's form for the data of its actions, in place of schemas in the definition. Protected. */
  readonly form?: UserTaskForm | null;
  /** Protected: only who holds the task and managers read it; up to 256 KiB of UTF-8. */
  readonly instructions?: string | null;
  /** Protected, like instructions; up to 256 KiB as JSON. */
  readonly taskData?: Json;
}
