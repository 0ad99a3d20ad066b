import type { Instant } from '../../instant';
import type { TaskId } from '../../ids';
import { isRejection, parseInputs } from '../definition';
import { isPinnedForm, type FormReference, type PinnedForm } from '../form';
import { withIssue, type HealthCode, type HealthIssue } from '../health';
import { isAmong } from '../participant';
import type { Resolution } from '../resolution';
import { rejection, type Rejection } from '../rejection';
import { hasRoute, type CreatedEvent, type TaskOwner } from '../task';

/** What starts a task. */
export interface Creation {
  readonly tenantId: string;
  readonly taskId: TaskId;
  /** Null when the workflow was started without a parent, which is refused. @see UT-380 */
  readonly owner: TaskOwner | null;
  /** As the step gave them; read and checked here. */
  readonly inputs: unknown;
  /** What was asked outside before; {@link NOTHING_RESOLVED} where nothing was needed. */
  readonly resolution: Resolution;
  readonly now: Instant;
}

/**
 * The first event of a task, or why it cannot be. An excluded assignee is left out and reported; so is what could not be
 * resolved, and that nobody can work on the task.
 * @see UT-025..029, UT-032, UT-067, UT-087, UT-390
 */
export function create(creation: Creation): CreatedEvent | Rejection {
  const { owner, tenantId, taskId, resolution, now } = creation;
  if (owner === null)
    return rejection('owner-required', 'A user task is raised by a workflow: start it as a child.');
  const inputs = parseInputs(creation.inputs, { tenantId, now, resolvedDueAt: resolution.dueAt });
  if (isRejection(inputs)) return inputs;
  const excluded = inputs.assignee !== null && isAmong(inputs.assignee, inputs.excludedUsers);
  const assignee = excluded ? null : inputs.assignee;
  const membership = resolution.membership?.snapshot ?? null;
  const status =
    assignee !== null ? 'Assigned' : hasRoute({ inputs, membership }) ? 'Available' : 'Unassigned';
  const codes = [...resolutionIssues(resolution, inputs.form)];
  if (excluded) codes.push('excluded-assignee');
  if (status === 'Unassigned') codes.push('no-assignment');
  return {
    kind: 'Created',
    tenantId,
    taskId,
    inputs: { ...inputs, assignee },
    owner,
    form: pinnedForm(resolution, inputs.form),
    membership,
    status,
    health: codes.reduce<readonly HealthIssue[]>(
      (health, code) => withIssue(health, code, now),
      [],
    ),
    revision: 1,
    occurredAt: now,
    actor: null,
    operationId: null,
    reason: null,
  };
}

/**
 * The form that a resolution pinned, or null. Another than the one `asked` for is none, nor is one that is too large or
 * malformed.
 * @see UT-088, UT-393
 */
export function pinnedForm({ form }: Resolution, asked: FormReference | null): PinnedForm | null {
  if (form === null || asked === null || !('pinned' in form)) return null;
  return isPinnedForm(form.pinned, asked) ? form.pinned : null;
}

/** The blocking issues of what could not be resolved. */
export function resolutionIssues(
  resolution: Resolution,
  asked: FormReference | null,
): readonly HealthCode[] {
  const { form, membership } = resolution;
  const codes: HealthCode[] = [];
  if (form !== null && 'failure' in form) codes.push(form.failure);
  if (form !== null && 'pinned' in form && pinnedForm(resolution, asked) === null)
    codes.push('form-resolution-failed');
  const failure = membership?.failure ?? null;
  if (failure !== null) codes.push(failure);
  return codes;
}
