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
import { isRejection } from '../domain/user-tasks/definition';
import { create } from '../domain/user-tasks/decide/create';
import { startRecord } from '../domain/user-tasks/decide/decide';
import { instantOf } from '../domain/instant';
import { resultOf, type UserTaskResult } from '../domain/user-tasks/receipt';
import type { CreatedEvent } from '../domain/user-tasks/task';
import { COMMAND_KINDS } from '../domain/user-tasks/commands';
import { rejection, type Rejection } from '../domain/user-tasks/rejection';
import { isRecord } from '../domain/json';
import { commandSignals, commandUpdates, operationQuery, snapshotQuery, type UserTaskStart } from './messages';
import { onSignal } from './on-signal';
import { parseStart } from './parse-start';
import { projectCreation } from './projecting';
import { TaskRun } from './task-run';
import { showStarted } from './task-visibility';

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
  const info = workflowInfo();
  // Anybody may start a workflow, with anything or nothing.
  const continued = isRecord(start) ? start.continued : undefined;
  const lineage = continued?.lineage ?? [];
  const creation = continued === undefined ? created(start) : null;
  const record = creation === null ? continued?.record : startRecord(creation);
  if (record === undefined) throw new Error('a continued task carries its record');
  const run = new TaskRun(record, { runId: info.runId, lineage });

  for (const kind of COMMAND_KINDS) {
    setHandler(commandUpdates[kind], (value) => run.apply(kind, value), { validator: (value) => run.check(kind, value) });
    onSignal(commandSignals[kind].name, (value) => run.receive(kind, value));
  }
  setHandler(snapshotQuery, () => run.snapshot());
  setHandler(operationQuery, (operationId) => run.operation(operationId));
  let withdrawn: unknown = null;
  CancellationScope.current().cancelRequested.catch((error: unknown) => (withdrawn = error));

  return CancellationScope.nonCancellable(async () => {
    if (creation !== null) {
      showStarted(run.task);
      const problem = await projectCreation({ event: creation, workflowId: info.workflowId, run: run.identity });
      if (problem !== null) throw refusal(problem);
    }
    run.armTimer();
    for (;;) {
      await condition(() => run.hasWork() || withdrawn !== null || run.isClosed() || mayContinueAsNew(start, run));
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

function created(value: unknown): CreatedEvent {
  const { parent, startTime, workflowId } = workflowInfo();
  if (parent === undefined) {
    throw refusal(rejection('owner-required', 'A user task is raised by a workflow: start it as a child.'));
  }
  const start = parseStart(value, workflowId);
  if (isRejection(start)) throw refusal(start);
  const { ownerDefinition } = start;
  const event = create({
    tenantId: start.tenantId,
    taskId: start.taskId,
    inputs: start.inputs,
    now: instantOf(startTime.getTime()),
    owner: {
      workflowId: parent.workflowId,
      runId: parent.runId,
      activityInstanceId: start.activityInstanceId,
      definitionId: ownerDefinition.id,
      definitionName: ownerDefinition.name,
      definitionVersion: ownerDefinition.version,
      instanceReference: ownerDefinition.instanceReference,
    },
  });
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
