import type { CommandKind } from '../../domain/user-tasks/commands';
import type { TaskId } from '../../domain/ids';
import { isManager, type Person } from '../../domain/user-tasks/actor';
import { OPERATION_KIND } from '../../domain/user-tasks/operation';
import type { PrismaClient } from '../../prisma/generated/client';
import type { Problem, ProblemCode } from '../problem';
import { appendAuditEvent, PRIVILEGED_KINDS } from '../../activities/user-tasks/audit-event';

/** Who was refused what on which task. */
export interface RefusedCommand {
  readonly person: Person;
  readonly taskId: TaskId;
  readonly command: { readonly kind: CommandKind; readonly operationId: string | null };
}

/** Failures that are no refusal: malformed requests, repetitions and what never reached a decision. */
const NO_REFUSAL: readonly ProblemCode[] = [
  'invalid-request',
  'idempotency-conflict',
  'command-expired',
  'unavailable',
  'outcome-unknown',
  'internal',
];

/**
 * Keeps in the timeline that a privileged command was refused, and why. The caller held the grant, or the route had
 * refused before; the answer to the caller stays what it is.
 * @see UT-156, UT-405
 */
export async function recordRefusal(
  database: PrismaClient,
  { person, taskId, command }: RefusedCommand,
  problem: Problem,
): Promise<void> {
  if (!PRIVILEGED_KINDS.includes(OPERATION_KIND[command.kind]) || NO_REFUSAL.includes(problem.code))
    return;
  const { tenantId } = person.subject;
  // Told "not found", who is no manager lacks the relationship; a manager is told so only of what is not there.
  const code =
    problem.code === 'not-found' && !isManager(person, tenantId)
      ? 'permission-denied'
      : problem.code;
  await appendAuditEvent(database, {
    tenantId,
    taskId,
    kind: 'PrivilegedOperationFailed',
    actor: person.subject,
    operationId: command.operationId,
    metadata: { operation: OPERATION_KIND[command.kind], code },
  });
}
