import type { ReleaseCommand } from '../commands';
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

const held: Check<ReleaseCommand> = ({ task }) =>
  task.holding === null ? rejection('not-assigned', 'Nobody holds the task.') : null;

/** Release by the assignee or a manager. @see UT-101, UT-394 */
export const release: Verb<ReleaseCommand> = {
  checks: [
    granted('release'),
    related('release'),
    inTime,
    idUnusedByOthers,
    notTerminal,
    currentRevision,
    notTransitional,
    held,
  ],
  events: (record, command, context) => [
    { ...nextEvent(record.task, command, context), kind: 'Released' },
  ],
};
