import { randomUUID } from 'node:crypto';
import { instantOf } from '../../domain/instant';
import type { TaskId } from '../../domain/ids';
import {
  mayReadSummary,
  VERB_RULES,
  type AllowedAction,
  type VerbRule,
} from '../../domain/user-tasks/access';
import type { Person } from '../../domain/user-tasks/actor';
import type { CommandKind, CompleteCommand, TaskCommand } from '../../domain/user-tasks/commands';
import { hashesOf } from '../../domain/user-tasks/decide/decide';
import { refuseSubmission } from '../../domain/user-tasks/decide/complete';
import { isRejection } from '../../domain/user-tasks/definition';
import type { ActionDefinition } from '../../domain/user-tasks/action';
import { isRejectionCode } from '../../domain/user-tasks/rejection';
import { isTerminal } from '../../domain/user-tasks/task';
import type { UserTaskOperation } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import type { FormReference, PinnedForm } from '../../domain/user-tasks/form';
import type { FormProviders } from '../../forms/form-provider';
import { rebuild } from '../../activities/user-tasks/rebuild';
import { validateSubmission } from '../../forms/validate-submission';
import { notFound, Problem, problemOf } from '../problem';
import {
  findOperation,
  insertPending,
  markSent,
  rejectPending,
  removePending,
  renewPending,
  type OperationKey,
} from './operation-store';
import { settleClosed, settleReceipt, type SettleDependencies } from './settle';
import { operationAddress } from './operation-address';
import { recordRefusal } from './record-refusal';
import { factsOf, loadTaskView, type TaskView } from './task-view';

/** What executing commands needs. */
export interface CommandDependencies extends SettleDependencies {
  readonly forms: FormProviders;
  /** Milliseconds that a command may travel before the task refuses it. @see UT-401 */
  readonly commandDeadlineMs: number;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A command without what the executor fills in. A null operation id is minted. */
export type CommandDraft = DistributiveOmit<
  TaskCommand,
  'operationId' | 'actor' | 'notAfter' | 'projectedBySender' | 'receivedHash' | 'entitledBy'
> & { readonly operationId: string | null };

export interface CommandRequest {
  readonly person: Person;
  readonly taskId: TaskId;
  readonly command: CommandDraft;
  /** Send it as a signal and do not wait. @see UT-410 */
  readonly respondAsync: boolean;
}

export type CommandAnswer =
  | {
      readonly kind: 'done';
      readonly operationId: string;
      readonly status: 'completed' | 'accepted';
      readonly view: TaskView;
    }
  | { readonly kind: 'pending'; readonly operationId: string };

/**
 * Takes a command from a request to its answer: looks whether it is a repetition, writes it down as pending, sends it,
 * projects what the task answered and reads the task as the caller sees it now. The task alone accepts or refuses; rows
 * tell only what is hidden, repeated or closed.
 * @throws {Problem} for every refusal, and when Temporal or PostgreSQL cannot be reached
 * @see UT-142..150, UT-400; design.md, "From HTTP to the list"
 */
export async function executeCommand(
  deps: CommandDependencies,
  request: CommandRequest,
): Promise<CommandAnswer> {
  try {
    return await execute(deps, request);
  } catch (error) {
    if (error instanceof Problem) await recordRefusal(deps.database, request, error);
    throw error;
  }
}

async function execute(deps: CommandDependencies, request: CommandRequest): Promise<CommandAnswer> {
  const received = commandOf(deps, request);
  const key: OperationKey = {
    tenantId: request.person.subject.tenantId,
    taskId: request.taskId,
    operationId: received.operationId,
  };
  const [view, recorded] = await Promise.all([
    loadTaskView(deps.database, request.person, request.taskId),
    findOperation(deps.database, key),
  ]);
  if (view === null) throw notFound();
  const own =
    recorded !== null && recorded.subjectKey === participantKeyHash(request.person.subject);
  if (own) {
    const command = await sameRequest(deps, view, received, recorded);
    if (recorded.status !== 'Pending') return answerRecorded(deps, request, recorded);
    await renewPending(deps.database, key, command.notAfter);
    return dispatch(deps, request, view, key, command);
  }
  if (!mayReadSummary(factsOf(view), view.is)) throw notFound();
  if (isTerminal(view.status) || recorded !== null)
    throw refusedByRow(view, received, recorded !== null);
  const command = await prepared(deps, view, received);
  const inserted = await insertPending(
    deps.database,
    key,
    command,
    request.respondAsync ? 'signal' : 'update',
  );
  // Somebody used the id in between: look again, from the start.
  return inserted ? dispatch(deps, request, view, key, command) : execute(deps, request);
}

function commandOf(
  deps: CommandDependencies,
  { person, command, respondAsync }: CommandRequest,
): TaskCommand {
  const base = {
    operationId: command.operationId ?? `op_${randomUUID()}`,
    actor: person,
    // A signal is kept until a worker runs, however long that takes.
    notAfter: respondAsync ? null : instantOf(Date.now() + deps.commandDeadlineMs),
    projectedBySender: !respondAsync,
    entitledBy: null,
  };
  return command.kind === 'complete'
    ? { ...command, ...base, receivedHash: null }
    : { ...command, ...base };
}

async function dispatch(
  deps: CommandDependencies,
  request: CommandRequest,
  view: TaskView,
  key: OperationKey,
  command: TaskCommand,
): Promise<CommandAnswer> {
  return request.respondAsync
    ? dispatchSignal(deps, view, key, command)
    : dispatchUpdate(deps, request, view, key, command);
}

async function dispatchUpdate(
  deps: CommandDependencies,
  request: CommandRequest,
  view: TaskView,
  key: OperationKey,
  command: TaskCommand,
): Promise<CommandAnswer> {
  const outcome = await deps.gateway.update(view.workflowId, command);
  switch (outcome.kind) {
    case 'accepted':
      try {
        await settleReceipt(deps, outcome.receipt);
        return await answerDone(deps, request, command.operationId, command.kind);
      } catch (error) {
        throw outcomeUnknown(key, error);
      }
    case 'refused':
      await removePending(deps.database, key);
      // The row is ahead of its task only when an operator has set the task back: then the row must follow.
      if ((outcome.rejection.revision ?? view.revision) < view.revision) {
        await rebuild(deps.database, key, deps.readSnapshot);
      }
      throw problemOf(outcome.rejection);
    case 'closed':
      return answerClosed(deps, request, view, key, command);
    case 'unreachable':
      throw new Problem(
        'unavailable',
        'The task cannot be reached now. Repeat the request with the same operation id.',
      );
    case 'unknown':
      throw outcomeUnknown(key);
    default:
      throw new Error('an outcome is missing');
  }
}

async function dispatchSignal(
  deps: CommandDependencies,
  view: TaskView,
  key: OperationKey,
  command: TaskCommand,
): Promise<CommandAnswer> {
  const outcome = await deps.gateway.signal(view.workflowId, command);
  if (outcome === 'sent') await markSent(deps.database, key);
  if (outcome === 'closed') {
    await settleClosed(deps, view);
    await rejectPending(deps.database, key, 'terminal', view.revision);
  }
  // Unreachable: the sweeper sends it; that it was taken down is what 202 promises.
  return { kind: 'pending', operationId: command.operationId };
}

/** The workflow closed before it saw the command: its end is projected first, then the row answers. */
async function answerClosed(
  deps: CommandDependencies,
  request: CommandRequest,
  view: TaskView,
  key: OperationKey,
  command: TaskCommand,
): Promise<CommandAnswer> {
  const outcome = await deps.gateway.recorded(
    view.workflowId,
    command.operationId,
    RECORDED_TIMEOUT_MS,
  );
  if (outcome.kind === 'accepted') {
    await settleReceipt(deps, outcome.receipt);
    return answerDone(deps, request, command.operationId, command.kind);
  }
  await settleClosed(deps, view);
  await removePending(deps.database, key);
  const settled = await loadTaskView(deps.database, request.person, request.taskId);
  throw settled === null ? notFound() : refusedByRow(settled, command, false);
}

const RECORDED_TIMEOUT_MS = 5_000;

/** A repetition is answered from the record, whatever has become of the task and of the caller's access. @see UT-142, UT-143 */
async function answerRecorded(
  deps: CommandDependencies,
  request: CommandRequest,
  recorded: UserTaskOperation,
): Promise<CommandAnswer> {
  const code = recorded.errorCode;
  if (recorded.status === 'Rejected' && isRejectionCode(code)) {
    throw problemOf({ code, detail: 'The operation was refused when it was first sent.' });
  }
  if (recorded.status === 'Failed') {
    throw new Problem(
      'idempotency-conflict',
      'The operation was undone from outside; send it again under a new id.',
    );
  }
  return answerDone(deps, request, recorded.operationId, request.command.kind);
}

async function answerDone(
  deps: CommandDependencies,
  request: CommandRequest,
  operationId: string,
  kind: CommandKind,
): Promise<CommandAnswer> {
  const view = await loadTaskView(deps.database, request.person, request.taskId);
  if (view === null) throw notFound();
  const status =
    kind === 'complete' || kind === 'cancel' || kind === 'retryResolution'
      ? 'accepted'
      : 'completed';
  return { kind: 'done', operationId, status, view };
}

/**
 * Whether a repeated id carries the same request: as it was received, or, for form data in another shape, once it is
 * normalised.
 * @throws {Problem} `idempotency-conflict`
 * @see UT-144, UT-402
 */
async function sameRequest(
  deps: CommandDependencies,
  view: TaskView,
  received: TaskCommand,
  recorded: UserTaskOperation,
): Promise<TaskCommand> {
  const conflict = new Problem(
    'idempotency-conflict',
    'The operation id was already used for another request.',
  );
  const hash = hashesOf(received).requestHash;
  const identical = recorded.receivedHash === hash || recorded.requestHash === hash;
  if (!identical && received.kind !== 'complete') throw conflict;
  if (recorded.status !== 'Pending' && identical) return received;
  const command = await prepared(deps, view, received).catch((error: unknown) => {
    throw identical ? error : conflict;
  });
  if (!identical && hashesOf(command).requestHash !== recorded.requestHash) throw conflict;
  return command;
}

/**
 * Completes a command with what only the sender can find out: form data is validated and normalised, and a list in the
 * database that entitles the actor is named.
 * @see UT-089, UT-147, UT-403
 */
async function prepared(
  deps: CommandDependencies,
  view: TaskView,
  received: TaskCommand,
): Promise<TaskCommand> {
  const command = { ...received, entitledBy: view.entitledBy };
  // Whoever may not complete is told so by the task, before anything about the form.
  if (command.kind !== 'complete' || !view.is.assignee || isTerminal(view.status)) return command;
  const row = await deps.database.userTaskProtected.findUnique({
    where: { tenantId_taskId: { tenantId: view.tenantId, taskId: view.id } },
    select: { actions: true, form: true, formReference: true },
  });
  const actions = (row?.actions ?? []) as unknown as readonly ActionDefinition[];
  const form = (row?.form ?? null) as unknown as PinnedForm | null;
  const formReference = (row?.formReference ?? null) as unknown as FormReference | null;
  const refusal = refuseSubmission(
    { actions, form, formReference },
    command.actionKey,
    command.data,
  );
  if (refusal !== null) throw problemOf(refusal);
  const schema = actions.find(({ key }) => key === command.actionKey)?.schema ?? null;
  return normalised(deps, view, command, form, schema);
}

async function normalised(
  { forms }: CommandDependencies,
  { tenantId }: TaskView,
  command: CompleteCommand,
  form: PinnedForm | null,
  schema: ActionDefinition['schema'],
): Promise<CompleteCommand> {
  const { actionKey, data } = command;
  const validated = await validateSubmission(forms, {
    tenantId,
    form,
    schema,
    actionKey,
    data,
  }).catch((error: unknown) => {
    throw new Problem('unavailable', 'The form provider cannot be asked now.', { cause: error });
  });
  if (isRejection(validated)) throw problemOf(validated);
  return { ...command, data: validated.data, receivedHash: hashesOf(command).requestHash };
}

/** A task that is closed, or an id that somebody else has used: what the row can answer by itself. @see UT-147, UT-148 */
function refusedByRow(view: TaskView, command: TaskCommand, idTaken: boolean): Problem {
  const rule: VerbRule = VERB_RULES[ACTION_OF[command.kind]];
  if (!rule.permits(view.is, factsOf(view))) return notFound();
  if (command.kind === 'cancel' && command.reason.trim() === '') {
    return new Problem('reason-required', 'A cancellation needs a reason.', {
      errors: [{ pointer: '/reason', detail: 'must not be blank' }],
    });
  }
  if (command.kind === 'cancel' && !view.enableCancellationOutcome) {
    return new Problem('cancellation-disabled', 'This task cannot be cancelled.');
  }
  // A completion of a closed task is told so first, every other command that its id is taken.
  return isTerminal(view.status) && (command.kind === 'complete' || !idTaken)
    ? new Problem('terminal', 'The task is closed.')
    : new Problem('idempotency-conflict', 'The operation id was already used for another request.');
}

const ACTION_OF = {
  claim: 'claim',
  release: 'release',
  assign: 'assign',
  update: 'update-scheduling',
  complete: 'complete',
  cancel: 'cancel',
  retryResolution: 'retry-resolution',
} as const satisfies Record<CommandKind, AllowedAction>;

/** The command may have been accepted: where the outcome will be readable. @see UT-149 */
function outcomeUnknown({ taskId, operationId }: OperationKey, cause?: unknown): Problem {
  return new Problem(
    'outcome-unknown',
    'The outcome is not known yet. Read it at the address given, or repeat the request with the same operation id.',
    {
      location: operationAddress(taskId, operationId),
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
