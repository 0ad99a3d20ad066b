import type { AssignCommand } from '../commands';
import { isAmong } from '../participant';
import { rejection } from '../rejection';
import {
  currentRevision,
  granted,
  idUnusedByOthers,
  inTime,
  notTerminal,
  notTransitional,
  related,
} from './checks';
import type { Check, Verb } from './decision';
import { nextEvent } from './next-event';

const toAUser: Check<AssignCommand> = (_record, { assignee }) =>
  assignee.type === 'user' && assignee.id.trim() !== ''
    ? null
    : rejection('invalid-assignee', 'A task is assigned to one user.', [
        { pointer: '/assignee', detail: 'must name a user' },
      ]);

const withinTenant: Check<AssignCommand> = ({ task }, { assignee }) =>
  assignee.tenantId === task.tenantId
    ? null
    : rejection('cross-tenant-assignee', 'The assignee belongs to another tenant.');

/** An excluded user is assigned only where the step allows it and a reason is given. @see UT-074 */
const notExcluded: Check<AssignCommand> = ({ task }, { assignee, reason }) => {
  if (!isAmong(assignee, task.inputs.excludedUsers)) return null;
  const overridden =
    task.inputs.allowManagerExclusionOverride && reason !== null && reason.trim() !== '';
  return overridden
    ? null
    : rejection('excluded-assignee', 'The assignee is excluded from this task.');
};

/** Assignment by a manager; a non-candidate may be chosen, a group may not. @see UT-102, UT-118 */
export const assign: Verb<AssignCommand> = {
  checks: [
    granted('assign'),
    related('assign'),
    inTime,
    idUnusedByOthers,
    notTerminal,
    currentRevision,
    notTransitional,
    toAUser,
    withinTenant,
    notExcluded,
  ],
  events: ({ task }, command, context) => [
    {
      ...nextEvent(task, command, context),
      kind: task.holding === null ? 'Assigned' : 'Reassigned',
      assignee: command.assignee,
      exclusionOverridden: isAmong(command.assignee, task.inputs.excludedUsers),
    },
  ],
};
