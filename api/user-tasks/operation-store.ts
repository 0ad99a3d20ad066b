import type { TaskId } from '../../domain/ids';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import { hashesOf } from '../../domain/user-tasks/decide/decide';
import { subjectOf } from '../../domain/user-tasks/actor';
import { OPERATION_KIND } from '../../domain/user-tasks/operation';
import { Prisma, type PrismaClient, type UserTaskOperation } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';

/** Identity of an operation record. @see UT-135 */
export interface OperationKey {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly operationId: string;
}

/** The operation as it stands in the database, or null. */
export function findOperation(
  database: PrismaClient,
  key: OperationKey,
): Promise<UserTaskOperation | null> {
  return database.userTaskOperation.findUnique({ where: { tenantId_taskId_operationId: key } });
}

/**
 * Writes down, before it is sent, that a command is on its way. Answers false when its id is taken already.
 * @param via - signals keep the command itself, so that the sweeper can send what never left
 */
export async function insertPending(
  database: PrismaClient,
  key: OperationKey,
  command: TaskCommand,
  via: 'update' | 'signal',
): Promise<boolean> {
  const subject = subjectOf(command.actor);
  const now = new Date();
  const inserted = await database.userTaskOperation.createMany({
    skipDuplicates: true,
    data: {
      ...key,
      kind: OPERATION_KIND[command.kind],
      ...(subject === null
        ? {}
        : { subject: { ...subject }, subjectKey: participantKeyHash(subject) }),
      ...hashesOf(command),
      expectedRevision: command.expectedRevision,
      status: 'Pending',
      actionKey: command.kind === 'complete' ? command.actionKey : null,
      createdAt: now,
      updatedAt: now,
      via,
      notAfter: command.notAfter,
      ...(via === 'signal' ? { command: JSON.parse(JSON.stringify(command)) as object } : {}),
    },
  });
  return inserted.count === 1;
}

/** Gives a pending operation that is sent again a new deadline. */
export async function renewPending(
  database: PrismaClient,
  key: OperationKey,
  notAfter: string | null,
): Promise<void> {
  await database.userTaskOperation.updateMany({
    where: { ...key, status: 'Pending' },
    data: { notAfter, updatedAt: new Date() },
  });
}

/** Frees the id of a command that was refused or never accepted. @see UT-150 */
export async function removePending(database: PrismaClient, key: OperationKey): Promise<void> {
  await database.userTaskOperation.deleteMany({ where: { ...key, status: 'Pending' } });
}

/** Notes that a signal is in Temporal's hands. */
export async function markSent(database: PrismaClient, key: OperationKey): Promise<void> {
  await database.userTaskOperation.updateMany({
    where: { ...key, status: 'Pending' },
    data: { sentAt: new Date() },
  });
}

/** Ends a pending signal that no task will ever decide. @see UT-150 */
export async function rejectPending(
  database: PrismaClient,
  key: OperationKey,
  errorCode: string,
  revision: number,
): Promise<void> {
  await database.userTaskOperation.updateMany({
    where: { ...key, status: 'Pending' },
    data: {
      status: 'Rejected',
      errorCode,
      revision,
      updatedAt: new Date(),
      via: null,
      notAfter: null,
      command: Prisma.DbNull,
    },
  });
}
