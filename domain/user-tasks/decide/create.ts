import type { Instant } from '../../instant';
import type { TaskId } from '../../ids';
import { isRejection, parseInputs } from '../definition';
import type { HealthIssue } from '../health';
import { isAmong } from '../participant';
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
  readonly now: Instant;
}

/**
 * The first event of a task, or why it cannot be. An excluded assignee is left out and reported; a task that nobody can
 * work on is created and reported.
 * @see UT-025..029, UT-032
 */
export function create(creation: Creation): CreatedEvent | Rejection {
  if (creation.owner === null) {
    return rejection('owner-required', 'A user task is raised by a workflow: start it as a child.');
  }
  const inputs = parseInputs(creation.inputs, creation.tenantId);
  if (isRejection(inputs)) return inputs;
  const excluded = inputs.assignee !== null && isAmong(inputs.assignee, inputs.excludedUsers);
  const assignee = excluded ? null : inputs.assignee;
  const status = assignee !== null ? 'Assigned' : hasRoute(inputs) ? 'Available' : 'Unassigned';
  const health: HealthIssue[] = [];
  const since = creation.now;
  if (excluded) {
    health.push({ code: 'excluded-assignee', severity: 'Advisory', message: 'The configured assignee is excluded from this task.', since });
  }
  if (status === 'Unassigned') {
    health.push({ code: 'no-assignment', severity: 'Advisory', message: 'Nobody can work on this task: it has no eligible candidate.', since });
  }
  return {
    kind: 'Created',
    tenantId: creation.tenantId,
    taskId: creation.taskId,
    inputs: { ...inputs, assignee },
    owner: creation.owner,
    status,
    health,
    revision: 1,
    occurredAt: creation.now,
    actor: null,
    operationId: null,
    reason: null,
  };
}
