import type { ResolutionNeeds } from '../definition';
import type { RetryResolutionCommand, SystemCommand } from '../commands';
import { REPAIRABLE_ISSUES, withIssue, withoutIssues, type HealthIssue } from '../health';
import type { OperationRecord } from '../operation';
import { isAmong } from '../participant';
import { rejection } from '../rejection';
import type { MembershipSnapshot } from '../resolution';
import { isTerminal, isTransitional, type TaskState, type TransitionEvent } from '../task';
import {
  currentRevision,
  granted,
  idUnusedByOthers,
  inTime,
  notTerminal,
  notTransitional,
  related,
} from './checks';
import { pinnedForm, resolutionIssues } from './create';
import type { Check, Decision, DecisionContext, TaskRecord, Verb } from './decision';

/** The retry that has been accepted and not carried out yet, or null. */
export function retryInProgress({ operations }: TaskRecord): OperationRecord | null {
  return (
    operations.find(({ kind, status }) => kind === 'RetryResolution' && status === 'Accepted') ??
    null
  );
}

const onlyRetry: Check<RetryResolutionCommand> = (record) =>
  retryInProgress(record) === null
    ? null
    : rejection('transition-in-progress', 'The resolution is being retried.');

/** Accepted at once; what comes of it is the task's to find out. @see UT-167 */
export const retryResolution: Verb<RetryResolutionCommand> = {
  checks: [
    granted('retry-resolution'),
    related('retry-resolution'),
    inTime,
    idUnusedByOthers,
    notTerminal,
    currentRevision,
    notTransitional,
    onlyRetry,
  ],
  events: () => [],
};

/**
 * What the outside world answered to a retry: one event whatever it was, and the operation is done whether or not the
 * issue is gone. What is pinned or enumerated already is never replaced. A task that is closed or being closed by then
 * takes no notice: its end is the last that happens to it.
 * @see UT-070, UT-093, UT-107, UT-167
 */
export function resolve(
  record: TaskRecord,
  { resolution }: Extract<SystemCommand, { kind: 'resolve' }>,
  { now }: DecisionContext,
): Decision {
  const operation = retryInProgress(record);
  if (operation === null)
    return {
      kind: 'rejected',
      rejection: rejection('timeout-not-due', 'No retry is in progress.'),
    };
  const { task } = record;
  const done = { ...operation, status: 'Completed', updatedAt: now } as const;
  if (!isOpen(task))
    return { kind: 'accepted', events: [], operation: { ...done, revision: task.revision } };
  const before = withoutIssues(task.health, REPAIRABLE_ISSUES);
  const event: TransitionEvent = {
    kind: 'ResolutionRetried',
    form: task.form ?? pinnedForm(resolution, task.inputs.form),
    membership: fuller(task.membership, resolution.membership?.snapshot ?? null),
    health: resolutionIssues(resolution, task.inputs.form).reduce<readonly HealthIssue[]>(
      (health, code) =>
        withIssue(health, code, task.health.find((issue) => issue.code === code)?.since ?? now),
      before,
    ),
    revision: task.revision + 1,
    occurredAt: now,
    actor: operation.subject,
    operationId: operation.operationId,
    reason: null,
  };
  return { kind: 'accepted', events: [event], operation: { ...done, revision: event.revision } };
}

function isOpen({ status }: TaskState): boolean {
  return !isTerminal(status) && !isTransitional(status);
}

/**
 * Members that were found once are kept: a directory that fails now does not take them away, however many it finds in
 * other groups. @see UT-067
 */
function fuller(
  before: MembershipSnapshot | null,
  after: MembershipSnapshot | null,
): MembershipSnapshot | null {
  if (before === null || after === null) return after;
  const keepsAll = after.failedGroups.every((group) => isAmong(group, before.failedGroups));
  return keepsAll && after.failedGroups.length < before.failedGroups.length ? after : null;
}

/** What a retry has to ask: only what is still missing; null for nothing. @see UT-070, UT-093 */
export function retryNeeds({ task }: TaskRecord): ResolutionNeeds | null {
  if (!isOpen(task)) return null;
  const { inputs } = task;
  const unhealthy = task.health.some(
    ({ code }) => code === 'snapshot-resolution-failed' || code === 'snapshot-directory-missing',
  );
  const form = task.form === null ? inputs.form : null;
  const groups = unhealthy ? inputs.candidateGroups : [];
  return form === null && groups.length === 0
    ? null
    : { form, groups, excludedUsers: inputs.excludedUsers, dueAt: null };
}
