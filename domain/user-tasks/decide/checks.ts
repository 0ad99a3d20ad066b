import { millisOf } from '../../instant';
import { factsOf, relationshipsOf, VERB_RULES, type AllowedAction, type VerbRule } from '../access';
import { subjectOf } from '../actor';
import { isGranted } from '../grants';
import { isSameSender } from '../participant';
import { rejection } from '../rejection';
import { isTerminal, isTransitional } from '../task';
import type { CommandBase } from '../commands';
import type { Check } from './decision';

/** The actor holds the verb's grant. @see UT-403 */
export function granted(action: AllowedAction): Check<CommandBase> {
  const rule: VerbRule = VERB_RULES[action];
  return (_record, { actor }) =>
    actor.kind === 'system' || isGranted(actor.grants, rule.permission)
      ? null
      : rejection('permission-denied', `This needs the permission ${rule.permission}.`);
}

/** The actor stands in a relationship that permits the verb; else the task is not there. @see UT-212 */
export function related(action: AllowedAction): Check<CommandBase> {
  const rule: VerbRule = VERB_RULES[action];
  return ({ task }, { actor, entitledBy }) =>
    actor.kind === 'system' || rule.permits(relationshipsOf(task, actor, entitledBy), factsOf(task))
      ? null
      : notFound();
}

/** The one answer for a task that is absent or hidden. */
export function notFound(): ReturnType<typeof rejection> {
  return rejection('not-found', 'There is no such user task.');
}

/** The command arrived by its deadline. @see UT-401 */
export const inTime: Check<CommandBase> = (_record, { notAfter }, { now }) =>
  notAfter !== null && millisOf(now) > millisOf(notAfter)
    ? rejection(
        'command-expired',
        'The command reached the task after its deadline; nothing was changed.',
      )
    : null;

/** Nobody else has used the operation id. @see UT-144 */
export const idUnusedByOthers: Check<CommandBase> = ({ operations }, { operationId, actor }) => {
  const recorded = operations.find((operation) => operation.operationId === operationId);
  return recorded !== undefined && !isSameSender(recorded.subject, subjectOf(actor))
    ? idempotencyConflict()
    : null;
};

export function idempotencyConflict(): ReturnType<typeof rejection> {
  return rejection(
    'idempotency-conflict',
    'The operation id was already used for another request.',
  );
}

export const notTerminal: Check<CommandBase> = ({ task }) =>
  isTerminal(task.status) ? rejection('terminal', 'The task is closed.') : null;

export const currentRevision: Check<CommandBase> = ({ task }, { expectedRevision }) =>
  expectedRevision === task.revision
    ? null
    : {
        ...rejection(
          'revision-conflict',
          `The task has changed: it is at revision ${task.revision}, not ${expectedRevision}.`,
        ),
        revision: task.revision,
      };

export const notTransitional: Check<CommandBase> = ({ task }) =>
  isTransitional(task.status)
    ? rejection('transition-in-progress', 'The task is being closed.')
    : null;
