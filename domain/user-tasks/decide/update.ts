import type { UpdateCommand } from '../commands';
import { isPriority } from '../definition';
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

const namesSomething: Check<UpdateCommand> = (_record, { priority, dueAt }) =>
  priority === undefined && dueAt === undefined
    ? rejection('invalid-request', 'An update names priority, dueAt or both.')
    : null;

const priorityInRange: Check<UpdateCommand> = (_record, { priority }) =>
  priority === undefined || isPriority(priority)
    ? null
    : rejection('invalid-priority', 'The priority is an integer from 0 to 100.', [
        { pointer: '/priority', detail: 'must be an integer from 0 to 100' },
      ]);

/** Priority and due date, the only attributes that change while the task runs. @see UT-122..124 */
export const update: Verb<UpdateCommand> = {
  checks: [
    granted('update-scheduling'),
    related('update-scheduling'),
    inTime,
    idUnusedByOthers,
    notTerminal,
    currentRevision,
    notTransitional,
    namesSomething,
    priorityInRange,
  ],
  events: ({ task }, command, context) => {
    const priority = command.priority ?? task.priority;
    const dueAt = command.dueAt === undefined ? task.dueAt : command.dueAt;
    const changed = (['priority', 'dueAt'] as const).filter((name) => command[name] !== undefined);
    return [
      { ...nextEvent(task, command, context), kind: 'ScheduleUpdated', priority, dueAt, changed },
    ];
  },
};
