import {
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { z } from 'zod';
import {
  configureUserTasks,
  defineTask,
  userTask,
  userTaskRefusal,
  type UserTaskInput,
  type UserTaskPromise,
} from '../../client/workflow';

/** Where the tasks of an owner under test live, and what they are raised with. */
export interface OwnerStart {
  readonly tenantId: string;
  readonly taskQueue: string;
  readonly input: UserTaskInput;
}

/** Ids of the tasks that the owner has raised, in order. */
export const raisedQuery = defineQuery<readonly string[]>('raised');
export const giveUpSignal = defineSignal('giveUp');
export const proceedSignal = defineSignal('proceed');

const invoice = defineTask({
  taskType: 'invoice',
  priority: 70,
  actions: {
    reject: { label: 'Reject', schema: z.object({ reason: z.string().min(3) }) },
    approve: {
      label: 'Approve',
      metadata: { colour: 'green' },
      schema: z.object({ amount: z.number(), costCentre: z.string().default('none') }),
    },
    ask: { label: 'Ask' },
  },
  enableTimeoutOutcome: true,
  enableCancellationOutcome: true,
});

const plain = defineTask({});

function raise<T>(promise: UserTaskPromise<T>, raised: string[]): UserTaskPromise<T> {
  raised.push(promise.taskId);
  return promise;
}

function begin({ tenantId, taskQueue }: OwnerStart): string[] {
  configureUserTasks({ tenantId, taskQueue });
  const raised: string[] = [];
  setHandler(raisedQuery, () => raised);
  return raised;
}

/** Says by the type of the answer what came, so that a wrong branch shows. */
export async function decides(start: OwnerStart): Promise<unknown> {
  const raised = begin(start);
  const answer = await raise(
    userTask(invoice, start.input, { instanceReference: 'order-1042' }),
    raised,
  );
  switch (answer.action) {
    case 'approve':
      return { ...answer, told: `${answer.data.amount} to ${answer.data.costCentre}` };
    case 'reject':
      return { ...answer, told: answer.data.reason };
    case 'ask':
    case 'Timeout':
    case 'Cancelled':
      return { ...answer, told: JSON.stringify(answer.data) };
  }
}

export async function completes(start: OwnerStart): Promise<unknown> {
  const raised = begin(start);
  return raise(userTask(plain, start.input), raised);
}

/** Raises two, takes the first answer and cancels the other; gives what both came to. */
export async function races(start: OwnerStart): Promise<unknown> {
  const raised = begin(start);
  const tasks = [
    raise(userTask(plain, start.input), raised),
    raise(userTask(plain, start.input), raised),
  ];
  const winner = await Promise.race(tasks);
  const losers = tasks.filter((task) => task.taskId !== winner.taskId);
  for (const loser of losers) loser.cancel();
  const ends = await Promise.allSettled(losers);
  return {
    winner: winner.taskId,
    losers: ends.map(
      (end) => end.status === 'rejected' && isCancellation(end.reason) && errorName(end.reason),
    ),
  };
}

/** Cancels a task and never looks at its promise again. */
export async function forgets(start: OwnerStart): Promise<string> {
  const raised = begin(start);
  const forgotten = raise(userTask(plain, start.input), raised);
  await proceeding();
  forgotten.cancel();
  await userTask(plain, start.input);
  return 'went on';
}

/** Cancels its task when told to; an answer that came first still counts. */
export async function givesUp(start: OwnerStart): Promise<unknown> {
  const raised = begin(start);
  const task = raise(userTask(plain, start.input), raised);
  setHandler(giveUpSignal, () => task.cancel());
  return task;
}

/** Raises what cannot be and gives the refusal that it caught. */
export async function isRefused(
  start: OwnerStart & { readonly repeat?: number; readonly dueMs?: number },
): Promise<unknown> {
  begin(start);
  const large = start.repeat === undefined ? {} : { taskData: 'a'.repeat(start.repeat) };
  const due = start.dueMs === undefined ? {} : { dueAt: new Date(start.dueMs) };
  try {
    return await userTask(plain, { ...start.input, ...large, ...due });
  } catch (error) {
    const refusal = userTaskRefusal(error);
    if (refusal === null) throw error;
    return refusal;
  }
}

/** Leaves an open task behind in each of the ways in which an owner may end. */
export async function leaves(
  start: OwnerStart & { readonly by: 'return' | 'failure' | 'continueAsNew' },
): Promise<string> {
  const raised = begin(start);
  void raise(userTask(plain, start.input), raised);
  await proceeding();
  if (start.by === 'failure') throw ApplicationFailure.nonRetryable('the owner failed');
  if (start.by === 'continueAsNew') await continueAsNew<typeof waits>(start);
  return 'returned';
}

/** What an owner looks like that awaits when it is cancelled or terminated. */
export async function waits(start: OwnerStart): Promise<string> {
  const raised = begin(start);
  try {
    await raise(userTask(plain, start.input), raised);
    return 'answered';
  } catch (error) {
    if (isCancellation(error)) throw error;
    return errorName(error);
  }
}

async function proceeding(): Promise<void> {
  let proceed = false;
  setHandler(proceedSignal, () => void (proceed = true));
  await condition(() => proceed);
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
