import { assertNever } from '../../assert-never';
import { subjectOf } from '../actor';
import type { SystemCommand, TaskCommand } from '../commands';
import { eventRecordOf, REMEMBERED_EVENTS } from '../event-record';
import { OPERATION_KIND, withOperation, type OperationRecord } from '../operation';
import { isSameSender } from '../participant';
import { requestHash } from '../request-hash';
import { created, evolve, isTerminal, type CreatedEvent, type TransitionEvent } from '../task';
import { assign } from './assign';
import { cancel } from './cancel';
import { idempotencyConflict } from './checks';
import { claim } from './claim';
import { complete } from './complete';
import type { Decision, DecisionContext, TaskRecord, Verb } from './decision';
import { expire } from './expire';
import { finalise } from './finalise';
import { release } from './release';
import { resolve, retryResolution } from './retry-resolution';
import { update } from './update';
import { withdraw } from './withdraw';

/**
 * What `command` would do to the task: pure, so that the validator, the handler and its replay agree.
 *
 * A command that its actor has already recorded is answered before anything else is asked (UT-143); then the verb's
 * checks in their order; the first that refuses is the answer.
 */
export function decide(
  record: TaskRecord,
  command: TaskCommand,
  context: DecisionContext,
): Decision {
  switch (command.kind) {
    case 'claim':
      return decideVerb(claim, record, command, context);
    case 'release':
      return decideVerb(release, record, command, context);
    case 'assign':
      return decideVerb(assign, record, command, context);
    case 'update':
      return decideVerb(update, record, command, context);
    case 'complete':
      return decideVerb(complete, record, command, context);
    case 'cancel':
      return decideVerb(cancel, record, command, context);
    case 'retryResolution':
      return decideVerb(retryResolution, record, command, context);
    default:
      return assertNever(command);
  }
}

/** What the task tells itself: its timer, its owner's end, the end of a transition. */
export function decideSystem(
  record: TaskRecord,
  command: SystemCommand,
  context: DecisionContext,
): Decision {
  switch (command.kind) {
    case 'expire':
      return expire(record, command, context);
    case 'withdraw':
      return withdraw(record, command, context);
    case 'resolve':
      return resolve(record, command, context);
    case 'finalise':
      return finalise(record, context);
    default:
      return assertNever(command);
  }
}

/** The task as it starts. */
export function startRecord(event: CreatedEvent): TaskRecord {
  const task = created(event);
  return { task, operations: [], events: [eventRecordOf(event, task)] };
}

/** The task after an accepted decision; any other decision changes nothing. */
export function applyDecision(record: TaskRecord, decision: Decision): TaskRecord {
  if (decision.kind !== 'accepted') return record;
  let { task } = record;
  const added = decision.events.map((event) => {
    task = evolve(task, event);
    return eventRecordOf(event, task);
  });
  const operations =
    decision.operation === null
      ? record.operations
      : withOperation(record.operations, decision.operation);
  const events = [...record.events, ...added].slice(-REMEMBERED_EVENTS);
  return { task, operations, events };
}

function decideVerb<C extends TaskCommand>(
  verb: Verb<C>,
  record: TaskRecord,
  command: C,
  context: DecisionContext,
): Decision {
  const recorded = recordedByActor(record, command);
  if (recorded !== null) return recorded;
  for (const check of verb.checks) {
    const refusal = check(record, command, context);
    if (refusal !== null) return { kind: 'rejected', rejection: refusal };
  }
  const events = verb.events(record, command, context);
  return {
    kind: 'accepted',
    events,
    operation: acceptedOperation(record, command, events, context),
  };
}

/** The hashes under which a command is recorded; the kind is part of both. */
export function hashesOf(
  command: TaskCommand,
): Pick<OperationRecord, 'requestHash' | 'receivedHash'> {
  const hash = requestHash(command);
  return {
    requestHash: hash,
    receivedHash: command.kind === 'complete' ? (command.receivedHash ?? hash) : hash,
  };
}

/** @see UT-142, UT-143, UT-144, UT-402 */
function recordedByActor(record: TaskRecord, command: TaskCommand): Decision | null {
  const recorded = record.operations.find(
    (operation) => operation.operationId === command.operationId,
  );
  if (recorded === undefined || !isSameSender(recorded.subject, subjectOf(command.actor)))
    return null;
  const hashes = hashesOf(command);
  const same =
    recorded.requestHash === hashes.requestHash || recorded.receivedHash === hashes.receivedHash;
  return same
    ? { kind: 'repeated', operation: recorded }
    : { kind: 'rejected', rejection: idempotencyConflict() };
}

function acceptedOperation(
  record: TaskRecord,
  command: TaskCommand,
  events: readonly TransitionEvent[],
  context: DecisionContext,
): OperationRecord {
  const after = events.reduce(evolve, record.task);
  const terminal = command.kind === 'complete' || command.kind === 'cancel';
  const awaitsEnd = command.kind === 'retryResolution' || (terminal && !isTerminal(after.status));
  return {
    operationId: command.operationId,
    kind: OPERATION_KIND[command.kind],
    subject: subjectOf(command.actor),
    ...hashesOf(command),
    expectedRevision: command.expectedRevision,
    status: awaitsEnd ? 'Accepted' : 'Completed',
    errorCode: null,
    actionKey:
      command.kind === 'complete'
        ? command.actionKey
        : command.kind === 'cancel'
          ? 'Cancelled'
          : null,
    revision: after.revision,
    createdAt: context.now,
    updatedAt: context.now,
  };
}
