import type { Instant } from '../instant';

/** Conditions that the task itself knows: they change within its transitions. @see UT-165, UT-406 */
export type OwnHealthCode =
  | 'form-provider-missing'
  | 'form-resolution-failed'
  | 'snapshot-resolution-failed'
  | 'snapshot-directory-missing'
  | 'no-assignment'
  | 'excluded-assignee';

/** Conditions that are seen from outside: stored by who sees them, without a revision. @see UT-406 */
export type OutsideHealthCode =
  'stale-transition' | 'participant-display-unknown' | 'ambiguous-record';

export type HealthCode = OwnHealthCode | OutsideHealthCode;

export type HealthSeverity = 'Advisory' | 'Blocking';

/** One issue; `message` is safe to show to managers. A blocking one leaves the task to managers alone. @see UT-163, UT-164 */
export interface HealthIssue {
  readonly code: HealthCode;
  readonly severity: HealthSeverity;
  readonly message: string;
  readonly since: Instant;
}

/** Severity and text of every issue. Texts are safe to show to managers. */
export const HEALTH_ISSUES = {
  'form-provider-missing': ['Blocking', 'The form provider of this task is not installed.'],
  'form-resolution-failed': ['Blocking', 'The form of this task could not be resolved.'],
  'snapshot-resolution-failed': [
    'Blocking',
    'The members of a candidate group could not be found.',
  ],
  'snapshot-directory-missing': [
    'Blocking',
    'There is no directory that knows the members of the candidate groups.',
  ],
  'stale-transition': ['Advisory', 'An accepted operation has waited too long for its end.'],
  'no-assignment': ['Advisory', 'Nobody can work on this task: it has no eligible candidate.'],
  'excluded-assignee': ['Advisory', 'The configured assignee is excluded from this task.'],
  'participant-display-unknown': [
    'Advisory',
    'The directory does not know a participant of this task.',
  ],
  'ambiguous-record': [
    'Advisory',
    'The record of this task contradicts itself; an operator must look at it.',
  ],
} as const satisfies Record<HealthCode, readonly [HealthSeverity, string]>;

/** The issue of this code, seen at `since`. */
export function healthIssue(code: HealthCode, since: Instant): HealthIssue {
  const [severity, message] = HEALTH_ISSUES[code];
  return { code, severity, message, since };
}

/** `issues` with one of `code` added, unless there is one already, whose `since` then stays. */
export function withIssue(
  issues: readonly HealthIssue[],
  code: HealthCode,
  since: Instant,
): readonly HealthIssue[] {
  return issues.some((issue) => issue.code === code)
    ? issues
    : [...issues, healthIssue(code, since)];
}

/** `issues` without those of `codes`. */
export function withoutIssues(
  issues: readonly HealthIssue[],
  codes: readonly HealthCode[],
): readonly HealthIssue[] {
  return issues.filter((issue) => !codes.includes(issue.code));
}

/** Issues that retry-resolution may clear. @see UT-167, UT-218 */
export const REPAIRABLE_ISSUES: readonly HealthCode[] = [
  'form-provider-missing',
  'form-resolution-failed',
  'snapshot-resolution-failed',
  'snapshot-directory-missing',
];

/** The issue that stands for all of them in a summary: the most severe, the oldest among equals. @see UT-165 */
export function worstIssue(issues: readonly HealthIssue[]): HealthIssue | null {
  return issues.find((issue) => issue.severity === 'Blocking') ?? issues[0] ?? null;
}
