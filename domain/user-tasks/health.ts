import type { Instant } from '../instant';

/** Conditions of a task that are not its status. @see UT-165 */
export type HealthCode = 'no-assignment' | 'excluded-assignee';

export type HealthSeverity = 'Advisory' | 'Blocking';

/** One issue; `message` is safe to show to managers. A blocking one leaves the task to managers alone. @see UT-163, UT-164 */
export interface HealthIssue {
  readonly code: HealthCode;
  readonly severity: HealthSeverity;
  readonly message: string;
  readonly since: Instant;
}

/** The issue that stands for all of them in a summary: the most severe, the oldest among equals. @see UT-165 */
export function worstIssue(issues: readonly HealthIssue[]): HealthIssue | null {
  return issues.find((issue) => issue.severity === 'Blocking') ?? issues[0] ?? null;
}
