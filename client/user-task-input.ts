import type { Json } from '../domain/json';
import type { Participant } from './participants';

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
  /** When it should be done: a Date, or RFC 3339 text with an offset. */
  readonly dueAt?: Date | string | null;
  /** Protected: only who holds the task and managers read it; up to 256 KiB of UTF-8. */
  readonly instructions?: string | null;
  /** Protected, like instructions; up to 256 KiB as JSON. */
  readonly taskData?: Json;
}
