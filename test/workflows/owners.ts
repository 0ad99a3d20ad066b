import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { z } from 'zod';
import {
  configureUserTasks,
  userTask as raise,
  defineTask,
  type UserTaskInput,
} from '../../client/workflow';
import { taskWorkflowId } from '../../domain/ids';
import type { UserTaskStart } from '../../workflows/messages';

import { userTask } from '../../workflows/user-task';

export { userTask };

/** What a test's owner is to raise. */
export interface OwnerStart {
  readonly tenantId: string;
  readonly taskQueue: string;
  readonly input: UserTaskInput & {
    readonly enableTimeoutOutcome?: boolean;
    readonly enableCancellationOutcome?: boolean;
  };
  /** Events of history after which the task continues as new. */
  readonly historyLimit?: number;
}

/** Tells an owner to do what its name says. */
export const proceed = defineSignal('proceed');

const decision = defineTask({
  actions: { approve: { label: 'Approve' }, reject: { label: 'Reject' } },
});

const review = defineTask({
  actions: {
    approve: {
      label: 'Approve',
      schema: z.object({
        amount: z.number().min(0),
        note: z.string().default('none'),
        more: z.unknown().optional(),
      }),
    },
    reject: { label: 'Reject' },
  },
});

const anything = defineTask({
  actions: { approve: { label: 'Approve', schema: z.unknown() }, reject: { label: 'Reject' } },
});

/** Like `oneTask`, with an action that takes any data. */
export async function oneOfAnything({ tenantId, taskQueue, input }: OwnerStart): Promise<unknown> {
  configureUserTasks({ tenantId, taskQueue });
  return raise(anything, input);
}

/** An owner that raises one task and returns its answer. */
export async function oneTask({
  tenantId,
  taskQueue,
  input,
  historyLimit,
}: OwnerStart): Promise<unknown> {
  configureUserTasks({
    tenantId,
    taskQueue,
    ...(historyLimit === undefined ? {} : { historyLimit }),
  });
  return raise(decision, input);
}

/** Like `oneTask`, with an action that takes data. */
export async function oneReview({ tenantId, taskQueue, input }: OwnerStart): Promise<unknown> {
  configureUserTasks({ tenantId, taskQueue });
  return raise(review, input);
}

/** Once told to, ends in the given way although its task is open. */
export async function endsEarly(
  start: OwnerStart & { readonly by: 'failing' | 'returning' | 'continuing' },
): Promise<unknown> {
  configureUserTasks(start);
  if (workflowInfo().continuedFromExecutionRunId !== undefined) return 'went on';
  void raise(decision, start.input);
  await proceeded();
  if (start.by === 'failing') throw ApplicationFailure.create({ message: 'the owner fails' });
  if (start.by === 'continuing') return continueAsNew<typeof endsEarly>(start);
  return 'did not wait';
}

/** Returns in the same step in which it raises its task. */
export function forgets({ tenantId, taskQueue, input }: OwnerStart): Promise<string> {
  configureUserTasks({ tenantId, taskQueue });
  void raise(decision, input);
  return Promise.resolve('forgot');
}

/** Raises two tasks, gives up the first once told to, and returns what became of both. */
export async function givesUpOne({ tenantId, taskQueue, input }: OwnerStart): Promise<unknown> {
  configureUserTasks({ tenantId, taskQueue });
  const first = raise(decision, { ...input, title: '1' });
  const second = raise(decision, { ...input, title: '2' });
  await proceeded();
  first.cancel();
  return Promise.all([first.then(() => 'answered', String), second]);
}

/** Raises three tasks; the first answer wins and the others are given up. */
export async function racesThree({ tenantId, taskQueue, input }: OwnerStart): Promise<unknown> {
  configureUserTasks({ tenantId, taskQueue });
  const all = ['1', '2', '3'].map((title) => raise(decision, { ...input, title }));
  const winner = await Promise.race(all);
  for (const task of all) task.cancel();
  await Promise.allSettled(all);
  return winner;
}

/** Starts the task's workflow by hand, with exactly these arguments, once for each of them. */
export async function byHand({
  starts,
  taskQueue,
}: {
  readonly starts: readonly UserTaskStart[];
  readonly taskQueue: string;
}): Promise<unknown> {
  const ends = starts.map(async (start): Promise<unknown> => {
    const workflowId = taskWorkflowId(start.tenantId, start.taskId);
    const options = {
      args: [start] as [UserTaskStart],
      workflowId,
      taskQueue,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    };
    const child = await CancellationScope.nonCancellable(() =>
      startChild<typeof userTask>('userTask', options),
    );
    // By its id alone: the SDK names the child's first run, which may have continued as new.
    const current = getExternalWorkflowHandle(workflowId);
    CancellationScope.current().cancelRequested.catch(() =>
      CancellationScope.nonCancellable(() => current.cancel()).catch(() => undefined),
    );
    return CancellationScope.nonCancellable(() => child.result());
  });
  const settled = ends.map((end) => end.catch((error: unknown) => causes(error)));
  return Promise.all(settled);
}

/** Starts the task's workflow under an id that is not the task's. */
export function elsewhere({
  start,
  taskQueue,
}: {
  readonly start: UserTaskStart;
  readonly taskQueue: string;
}): Promise<unknown> {
  const child = executeChild('userTask', {
    args: [start],
    workflowId: `not-${start.taskId}`,
    taskQueue,
  });
  return child.catch((error: unknown) => causes(error));
}

async function proceeded(): Promise<void> {
  let told = false;
  setHandler(proceed, () => void (told = true));
  await condition(() => told);
}

/** Names of an error and its causes; of failures with a type, the type. */
function causes(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const { type } = error as { readonly type?: unknown };
  return [typeof type === 'string' ? type : error.name, ...causes(error.cause)];
}
