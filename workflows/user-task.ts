import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { carried } from '../domain/user-tasks/carry';
import { isRejection, parseInputs, resolutionNeeds } from '../domain/user-tasks/definition';
import { notFound } from '../domain/user-tasks/decide/checks';
import { create } from '../domain/user-tasks/decide/create';
import { startRecord } from '../domain/user-tasks/decide/decide';
import { instantOf } from '../domain/instant';
import { resultOf, type UserTaskResult } from '../domain/user-tasks/receipt';
import { NOTHING_RESOLVED } from '../domain/user-tasks/resolution';
import type { CreatedEvent } from '../domain/user-tasks/task';
import { COMMAND_KINDS, type CommandKind } from '../domain/user-tasks/commands';
import { rejection, type Rejection } from '../domain/user-tasks/rejection';
import { isRecord } from '../domain/json';
import {
  commandSignals,
  commandUpdates,
  operationQuery,
  snapshotQuery,
  type UserTaskStart,
} from './messages';
import { onSignal } from './on-signal';
import { parseStart } from './parse-start';
import { projectCreation } from './projecting';
import { resolveNeeds } from './resolving';
import { TaskRun } from './task-run';
import { showContinued, showStarted } from './task-visibility';

/** Events of history after which a task continues as new, unless its start says otherwise. */
const HISTORY_LIMIT = 4_000;

/**
 * One user task: waits for claim, release, assign, update, complete and cancel (each a signal and an update with the
 * same decision behind both), for its due date and for the end of its owner, and returns what was decided.
 *
 * It alone accepts or refuses; rows in PostgreSQL follow it. Handlers never await, so commands cannot interleave.
 *
 * @param start - read by `parseStart`
 * @throws {ApplicationFailure} non-retryable, its type one of `owner-required`, `invalid-definition`,
 * `cross-tenant-participant`, `payload-too-large`, `duplicate-materialization`; nothing is then written
 * @throws {CancelledFailure} when the owner ended or gave up its wait
 * @see design.md, "Messages" and "Who projects"
 */
export async function userTask(start: UserTaskStart): Promise<UserTaskResult> {
  const door = new TaskDoor();
  // Before the handlers: they are given at once what came with the first workflow task.
  const continued = takenOver(start);
  if (continued !== null) door.open(continued);
  for (const kind of COMMAND_KINDS) {
    setHandler(commandUpdates[kind], (value) => door.run.apply(kind, value), {
      validator: (value) => door.run.check(kind, value),
    });
    onSignal(commandSignals[kind].name, (value) => door.receive(kind, value));
  }
  setHandler(snapshotQuery, () => door.run.snapshot());
  setHandler(operationQuery, (operationId) => door.run.operation(operationId));
  let withdrawn: Error | null = null;
  const { cancelRequested } = CancellationScope.current();
  cancelRequested.catch((error: unknown) => {
    withdrawn = error instanceof Error ? error : new Error(String(error));
  });

  return CancellationScope.nonCancellable(async () => {
    const run = continued ?? (await begin(start, door, cancelRequested));
    run.armTimer();
    for (;;) {
      await condition(
        () => run.hasWork() || withdrawn !== null || run.isClosed() || mayContinueAsNew(start, run),
      );
      if (withdrawn !== null && !run.isClosed()) run.withdraw();
      if (run.hasWork()) await run.work();
      else if (run.isClosed()) break;
      else if (mayContinueAsNew(start, run)) await continueAsNew(start, run);
    }
    await condition(() => allHandlersFinished());
    if (withdrawn !== null && run.wasWithdrawn()) throw withdrawn;
    return resultOf(run.task);
  });
}

/** The task as the run before handed it over, or null in its first run. */
function takenOver(start: UserTaskStart): TaskRun | null {
  // Anybody may start a workflow, with anything or nothing.
  const { continued } = isRecord(start) ? start : NOTHING_GIVEN;
  if (continued === undefined) return null;
  const identity = { runId: workflowInfo().runId, lineage: continued.lineage };
  const run = new TaskRun(continued.record, identity, resolutionTimeoutMs(start));
  showContinued(run.task);
  return run;
}

function resolutionTimeoutMs(start: UserTaskStart): number {
  const { activationResolutionTimeoutMs } = isRecord(start) ? start : NOTHING_GIVEN;
  return activationResolutionTimeoutMs ?? ACTIVATION_RESOLUTION_TIMEOUT_MS;
}

/** Starts the task and opens the door to commands. */
async function begin(
  start: UserTaskStart,
  door: TaskDoor,
  cancelRequested: Promise<never>,
): Promise<TaskRun> {
  const { runId, workflowId } = workflowInfo();
  const timeoutMs = resolutionTimeoutMs(start);
  // Nobody sees a task before what it needs is resolved; an owner that gives up meanwhile leaves nothing behind.
  const event = await Promise.race([created(start, timeoutMs), cancelRequested]);
  const run = new TaskRun(startRecord(event), { runId, lineage: [] }, timeoutMs);
  showStarted(run.task);
  // Opened before the row is there: who reads the row may send at once, and must not find the door shut.
  door.open(run);
  const problem = await projectCreation({ event, workflowId, run: run.identity });
  if (problem !== null) throw refusal(problem);
  return run;
}

const NOTHING_GIVEN: Pick<UserTaskStart, 'continued' | 'activationResolutionTimeoutMs'> = {};

/** Until this has passed, what a task needs from outside is asked again; then it goes on with an issue. @see UT-385 */
const ACTIVATION_RESOLUTION_TIMEOUT_MS = 30_000;

/**
 * Where commands arrive. Before the task has begun, updates find nothing there (no more than readers do) and signals
 * wait, to be decided in order of arrival.
 */
class TaskDoor {
  #run: TaskRun | null = null;
  #early: { readonly kind: CommandKind; readonly value: unknown }[] = [];

  get run(): TaskRun {
    if (this.#run === null) throw refusal(notFound());
    return this.#run;
  }

  receive(kind: CommandKind, value: unknown): void {
    if (this.#run === null) this.#early.push({ kind, value });
    else this.#run.receive(kind, value);
  }

  open(run: TaskRun): void {
    this.#run = run;
    for (const { kind, value } of this.#early) run.receive(kind, value);
    this.#early = [];
  }
}

async function created(value: unknown, timeoutMs: number): Promise<CreatedEvent> {
  const { parent, startTime, workflowId } = workflowInfo();
  if (parent === undefined) {
    throw refusal(
      rejection('owner-required', 'A user task is raised by a workflow: start it as a child.'),
    );
  }
  const start = parseStart(value, workflowId);
  if (isRejection(start)) throw refusal(start);
  const { tenantId, taskId, activityInstanceId, ownerDefinition } = start;
  const now = instantOf(startTime.getTime());
  const inputs = parseInputs(start.inputs, { tenantId, now, resolvedDueAt: null });
  if (isRejection(inputs)) throw refusal(inputs);
  const needs = resolutionNeeds(inputs, start.inputs);
  const resolution =
    needs === null ? NOTHING_RESOLVED : await resolveNeeds(start, needs, timeoutMs);
  const owner = {
    workflowId: parent.workflowId,
    runId: parent.runId,
    activityInstanceId,
    definitionId: ownerDefinition.id,
    definitionName: ownerDefinition.name,
    definitionVersion: ownerDefinition.version,
    instanceReference: ownerDefinition.instanceReference,
  };
  const event = create({ tenantId, taskId, inputs: start.inputs, now, owner, resolution });
  if (isRejection(event)) throw refusal(event);
  return event;
}

function refusal(problem: Rejection): ApplicationFailure {
  return ApplicationFailure.nonRetryable(problem.detail, problem.code, problem);
}

/** A long life continues in a new run, but never with anything in flight that the old run would lose. */
function mayContinueAsNew(start: UserTaskStart, run: TaskRun): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  const long = continueAsNewSuggested || historyLength >= (start.historyLimit ?? HISTORY_LIMIT);
  return long && !run.hasWork() && !run.isClosed() && allHandlersFinished();
}

function continueAsNew(start: UserTaskStart, run: TaskRun): Promise<never> {
  const next = makeContinueAsNewFunc<typeof userTask>();
  const lineage = [...run.identity.lineage, run.identity.runId].slice(-REMEMBERED_RUNS);
  return next({ ...start, inputs: null, continued: { record: carried(run.record), lineage } });
}

/** Receipts from a run further back than this are long projected. */
const REMEMBERED_RUNS = 50;
