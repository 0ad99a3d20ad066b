import type { Instant } from '../instant';
import { canonicalJson } from '../json';
import { sha256Hex } from '../sha256';
import { subjectOf } from './actor';
import type { TaskCommand } from './commands';
import { OPERATION_KIND } from './operation';
import { participantKey } from './participant';
import { assertNever } from '../assert-never';

/**
 * Request hash of a command: SHA-256, upper-case hex, over its kind and the canonical JSON of what was asked, the acting
 * subject included. Display names, deadline and who projects are no part of it.
 * @see UT-140, UT-141
 */
export function requestHash(command: TaskCommand): string {
  return sha256Hex(
    `${OPERATION_KIND[command.kind]}:${canonicalJson(contentOf(command))}`,
  ).toUpperCase();
}

/** Request hash of a timeout. @see UT-130 */
export function timeoutHash(expectedRevision: number, dueAt: Instant): string {
  return sha256Hex(`Timeout:${canonicalJson({ expectedRevision, dueAt })}`).toUpperCase();
}

function contentOf(command: TaskCommand): unknown {
  const { expectedRevision } = command;
  const person = subjectOf(command.actor);
  const subject = person === null ? null : participantKey(person);
  switch (command.kind) {
    case 'claim':
      return { expectedRevision, reason: null, requestValue: null, subject };
    case 'release':
      return { expectedRevision, reason: command.reason, requestValue: null, subject };
    case 'assign':
      return {
        expectedRevision,
        reason: command.reason,
        requestValue: participantKey(command.assignee),
        subject,
      };
    case 'update':
      return {
        expectedRevision,
        reason: null,
        requestValue: { priority: command.priority, dueAt: command.dueAtAsGiven ?? command.dueAt },
        subject,
      };
    case 'complete':
      return { expectedRevision, actionKey: command.actionKey, data: command.data, subject };
    case 'cancel':
      return { expectedRevision, reason: command.reason, subject };
    case 'retryResolution':
      return { expectedRevision, subject };
    default:
      return assertNever(command);
  }
}
