import { setTimeout as sleep } from 'node:timers/promises';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type Client,
} from '@temporalio/client';
import {
  stepReference,
  type ActivityDone,
  type permitCase,
  type PermitActivity,
  type PermitCase,
} from '../permit-case';
import type { Done, ListedTask, UserTaskApi } from '../user-task-api';

/** What a case needs to be run. */
export interface CaseRun {
  readonly client: Client;
  /** Task queue of the worker that has `permitCase`. */
  readonly taskQueue: string;
  /** The API as this person. */
  readonly apiOf: (person: string) => UserTaskApi;
  /** Id of the case's workflow: of its own in every run. */
  readonly workflowIdOf: (caseId: string) => string;
  /** For how long a step may wait for whatever is away. */
  readonly patienceMs: number;
  /** Told after each step how long its two calls took. */
  readonly onStep: (step: StepTimes) => void;
}

/** What one step took, from the first request to the answer, other tries included. */
export interface StepTimes {
  readonly claimMs: number;
  readonly completeMs: number;
  /** Whether a call had to be repeated. */
  readonly retried: boolean;
}

/** A case that went through, as its workflow tells it. */
export interface CaseDone {
  readonly permit: PermitCase;
  readonly result: readonly ActivityDone[];
}

/**
 * Runs one case: starts its workflow, then does each activity as the person who did it in the log.
 * @throws {Error} when a task does not appear, a call is refused or the workflow fails
 */
export async function runCase(permit: PermitCase, run: CaseRun): Promise<CaseDone> {
  const workflowId = run.workflowIdOf(permit.caseId);
  await patiently(run, () => startOnce(run, workflowId, permit));
  for (const [index, activity] of permit.activities.entries()) {
    const task = await waitingTask(
      run,
      workflowId,
      stepReference(permit.caseId, index + 1),
      activity,
    );
    await doTask(run, task, activity);
  }
  const handle = run.client.workflow.getHandle<typeof permitCase>(workflowId);
  return { permit, result: await patiently(run, () => handle.result()) };
}

/** A start that was sent before and whose answer was lost counts as done. */
async function startOnce(
  { client, taskQueue }: CaseRun,
  workflowId: string,
  permit: PermitCase,
): Promise<void> {
  try {
    await client.workflow.start<typeof permitCase>('permitCase', {
      workflowId,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      taskQueue,
      args: [permit],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** The task of the current step, as its person finds it. */
async function waitingTask(
  run: CaseRun,
  workflowId: string,
  reference: string,
  { person, name }: PermitActivity,
): Promise<ListedTask> {
  const query = { scope: 'available', workflowInstanceId: workflowId, limit: '5' };
  const deadline = Date.now() + run.patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const { items } = await run.apiOf(person).list(query);
    const task = items.find((item) => item.reference === reference);
    if (task !== undefined) return task;
    if (Date.now() > deadline) {
      throw new Error(`"${name}" (${reference}) of ${workflowId} was never offered to ${person}.`);
    }
    await sleep(pauseMs);
  }
}

const FIRST_PAUSE_MS = 30;
const LONGEST_PAUSE_MS = 500;

async function doTask(run: CaseRun, task: ListedTask, { person }: PermitActivity): Promise<void> {
  const api = run.apiOf(person);
  const claim = await timed(() =>
    api.claim(task.id, { operationId: `claim:${task.id}`, expectedRevision: task.revision }),
  );
  const complete = await timed(() =>
    api.complete(task.id, {
      operationId: `complete:${task.id}`,
      expectedRevision: claim.done.revision,
      actionKey: 'done',
    }),
  );
  const retried = claim.done.retried || complete.done.retried;
  run.onStep({ claimMs: claim.ms, completeMs: complete.ms, retried });
}

async function timed(call: () => Promise<Done>): Promise<{ done: Done; ms: number }> {
  const start = performance.now();
  const done = await call();
  return { done, ms: performance.now() - start };
}

/** Repeats a call to Temporal while it is away; what the workflow itself says is final. */
async function patiently<T>({ patienceMs }: CaseRun, call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof WorkflowFailedError || Date.now() > deadline) throw error;
      await sleep(LONGEST_PAUSE_MS);
    }
  }
}
