import { subjectOf } from '../actor';
import type { CommandBase } from '../commands';
import type { Instant } from '../../instant';
import type { ParticipantReference } from '../participant';
import type { TaskState } from '../task';
import type { DecisionContext } from './decision';

interface NextEvent {
  readonly revision: number;
  readonly occurredAt: Instant;
  readonly actor: ParticipantReference | null;
  readonly operationId: string;
  readonly reason: string | null;
}

/** The common part of the event with which a command raises the revision by one. @see UT-138 */
export function nextEvent(
  task: TaskState,
  command: CommandBase & { readonly reason?: string | null },
  context: DecisionContext,
): NextEvent {
  return {
    revision: task.revision + 1,
    occurredAt: context.now,
    actor: subjectOf(command.actor),
    operationId: command.operationId,
    reason: command.reason ?? null,
  };
}
