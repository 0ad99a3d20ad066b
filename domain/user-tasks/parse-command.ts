import { parseInstant, type Instant } from '../instant';
import { isJson, isRecord, isStorableText, type Json } from '../json';
import { assertNever } from '../assert-never';
import { parsePerson, type Person } from './actor';
import { TIMEOUT_ID_PREFIX } from './operation';
import {
  COMMAND_LIMITS,
  type CommandBase,
  type CommandKind,
  type TaskCommand,
  type UpdateCommand,
} from './commands';
import { parseParticipant, type ParticipantReference } from './participant';
import { rejection, type Rejection } from './rejection';

class Unreadable extends Error {
  readonly pointer: string;
  constructor(pointer: string, detail: string) {
    super(detail);
    this.pointer = pointer;
  }
}

/**
 * Reads a command that came as a message: from the API, another program or a person at a command line. Whatever it is,
 * the answer is a command or a refusal; nothing throws.
 * @see UT-399
 */
export function parseCommand(kind: CommandKind, value: unknown): TaskCommand | Rejection {
  try {
    return read(kind, value);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return rejection(
      'invalid-request',
      `The ${kind} command cannot be read: ${error.pointer.slice(1)} ${error.message}.`,
      [{ pointer: error.pointer, detail: error.message }],
    );
  }
}

/** The operation id of an unreadable command, as far as it has one that can be recorded. */
export function readableOperationId(value: unknown): string | null {
  return isRecord(value) && isOperationId(value['operationId']) ? value['operationId'] : null;
}

/**
 * Whether `value` can be an operation id: 1 to 450 characters, not blank, and none of those that the task gives its own
 * timeouts.
 * @see UT-130, UT-139
 */
export function isOperationId(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > COMMAND_LIMITS.operationId)
    return false;
  return isStorableText(value) && !value.startsWith(TIMEOUT_ID_PREFIX);
}

function read(kind: CommandKind, value: unknown): TaskCommand {
  if (!isRecord(value)) throw new Unreadable('/', 'must be an object');
  const base: CommandBase = {
    operationId: operationId(value['operationId']),
    expectedRevision: revision(value['expectedRevision']),
    actor: actor(value['actor']),
    notAfter: instant('notAfter', value['notAfter'] ?? null),
    projectedBySender: value['projectedBySender'] === true,
    entitledBy: value['entitledBy'] === 'SnapshotMember' ? 'SnapshotMember' : null,
  };
  return { ...base, ...specific(kind, value) };
}

type Specific = TaskCommand extends infer C
  ? C extends TaskCommand
    ? Omit<C, keyof CommandBase>
    : never
  : never;

function specific(kind: CommandKind, value: Readonly<Record<string, unknown>>): Specific {
  switch (kind) {
    case 'claim':
      return { kind };
    case 'release':
      return { kind, reason: reason(value['reason'] ?? null) };
    case 'assign':
      return {
        kind,
        assignee: assignee(value['assignee']),
        reason: reason(value['reason'] ?? null),
      };
    case 'update':
      return { kind, ...schedule(value) };
    case 'complete':
      return {
        kind,
        actionKey: actionKey(value['actionKey']),
        data: data(value['data'] ?? null),
        receivedHash: hash(value['receivedHash'] ?? null),
      };
    case 'cancel':
      return { kind, reason: reason(value['reason'] ?? null) ?? '' };
    case 'retryResolution':
      return { kind };
    default:
      return assertNever(kind);
  }
}

function operationId(value: unknown): string {
  if (!isOperationId(value))
    throw new Unreadable('/operationId', `must be 1 to ${COMMAND_LIMITS.operationId} characters`);
  return value;
}

function revision(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new Unreadable('/expectedRevision', 'must be an integer');
  return value;
}

function actor(value: unknown): Person {
  const read = parsePerson(value);
  if (typeof read === 'string') throw new Unreadable('/actor', read);
  return read;
}

function instant(name: string, value: unknown): Instant | null {
  if (value === null) return null;
  const read = parseInstant(value);
  if (read === null) throw new Unreadable(`/${name}`, 'must be a timestamp with an offset');
  return read;
}

function reason(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || value.length > COMMAND_LIMITS.reason || !isStorableText(value)) {
    throw new Unreadable('/reason', `must be at most ${COMMAND_LIMITS.reason} characters`);
  }
  return value;
}

/** An empty id passes here: what may hold a task is judged by the verb, with a code of its own. @see UT-118 */
function assignee(value: unknown): ParticipantReference {
  const read = parseParticipant(value, { emptyId: true });
  if (typeof read === 'string') throw new Unreadable('/assignee', read);
  return read;
}

function schedule(
  value: Readonly<Record<string, unknown>>,
): Pick<UpdateCommand, 'priority' | 'dueAt' | 'dueAtAsGiven'> {
  const { priority, dueAt, dueAtAsGiven } = value;
  if (priority !== undefined && typeof priority !== 'number')
    throw new Unreadable('/priority', 'must be an integer');
  return {
    ...(priority === undefined ? {} : { priority }),
    ...(dueAt === undefined ? {} : { dueAt: instant('dueAt', dueAt) }),
    ...(dueAtAsGiven !== undefined && isJson(dueAtAsGiven) ? { dueAtAsGiven } : {}),
  };
}

function actionKey(value: unknown): string {
  if (typeof value !== 'string') throw new Unreadable('/actionKey', 'must be a string');
  return value;
}

function hash(value: unknown): string | null {
  if (value !== null && typeof value !== 'string')
    throw new Unreadable('/receivedHash', 'must be a string');
  return value;
}

function data(value: unknown): Json {
  if (!isJson(value)) throw new Unreadable('/data', 'must be plain JSON');
  return value;
}
