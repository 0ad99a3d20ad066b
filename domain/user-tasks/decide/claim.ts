import { subjectOf } from '../actor';
import type { ClaimCommand } from '../commands';
import { rejection } from '../rejection';
import {
  currentRevision,
  granted,
  idUnusedByOthers,
  inTime,
  notFound,
  notTerminal,
  notTransitional,
  related,
} from './checks';
import type { Check, Verb } from './decision';
import { nextEvent } from './next-event';

const unheld: Check<ClaimCommand> = ({ task }) =>
  task.holding === null ? null : rejection('not-claimable', 'Somebody holds the task already.');

/** The system holds no task. */
const byAPerson: Check<ClaimCommand> = (_record, { actor }) =>
  actor.kind === 'person' ? null : notFound();

/** Claim by an eligible candidate who is not excluded. @see UT-100 */
export const claim: Verb<ClaimCommand> = {
  checks: [
    byAPerson,
    granted('claim'),
    related('claim'),
    inTime,
    idUnusedByOthers,
    notTerminal,
    currentRevision,
    notTransitional,
    unheld,
  ],
  events: (record, command, context) => {
    const assignee = subjectOf(command.actor);
    if (assignee === null) throw new Error(notFound().detail);
    return [{ ...nextEvent(record.task, command, context), kind: 'Claimed', assignee }];
  },
};
