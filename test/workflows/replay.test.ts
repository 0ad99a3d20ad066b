import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { createTaskWorkerDataConverter } from '../../platform/data-converter';
import { CLERKS } from '../builders/people';
import {
  clerk,
  colleague,
  manager,
  rowThatIs,
  send,
  settledOperation,
  signal,
} from '../harness/acting';
import {
  createTaskStack,
  testKeyRing,
  type RaisedTask,
  type TaskStack,
} from '../harness/task-stack';
import { recordHistories } from '../harness/test-environment';
import { within } from '../harness/within';

const { History } = temporal.api.history.v1;
const folder = join(__dirname, '..', 'histories');
const input = { title: 'Recorded', candidateGroups: [CLERKS], enableCancellationOutcome: true };

/** Each path that a task may take, and the task that has taken it. */
const PATHS: Readonly<Record<string, (stack: TaskStack) => Promise<RaisedTask>>> = {
  'claimed-and-completed': async (stack) => {
    const task = await stack.raise(input);
    await send(stack, task, clerk, { kind: 'claim' });
    await send(stack, task, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'done' });
    return task;
  },
  'every-verb-as-signal': async (stack) => {
    const task = await stack.raise(input);
    const told = async (
      by: typeof clerk,
      ask: Parameters<typeof signal>[3],
      operationId: string,
    ) => {
      await signal(stack, task, by, { ...ask, operationId });
      await settledOperation(stack, task, operationId);
    };
    await told(clerk, { kind: 'claim' }, 'A');
    await told(colleague, { kind: 'claim', expectedRevision: 2 }, 'refused');
    await told(clerk, { kind: 'release', expectedRevision: 2 }, 'B');
    await told(manager, { kind: 'update', expectedRevision: 3, priority: 9 }, 'C');
    await told(manager, { kind: 'assign', expectedRevision: 4 }, 'D');
    await stack.client.workflow.getHandle(task.workflowId).signal('claim', 'unreadable');
    await told(clerk, { kind: 'complete', expectedRevision: 5 }, 'E');
    return task;
  },
  'unprepared-completion': async (stack) => {
    const task = await stack.raise(input, { owner: 'oneReview' });
    await send(stack, task, clerk, { kind: 'claim' });
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const complete = { expectedRevision: 2, actor: clerk, actionKey: 'approve' };
    await handle.signal('complete', { ...complete, operationId: 'invalid', data: {} });
    await handle.signal('complete', { ...complete, operationId: 'valid', data: { amount: 1 } });
    return task;
  },
  'timed-out': async (stack) => {
    const dueAt = new Date(Date.now() + 1_500);
    const task = await stack.raise({ ...input, dueAt, enableTimeoutOutcome: true });
    await send(stack, task, manager, { kind: 'update', priority: 9 });
    return task;
  },
  'overdue-and-moved': async (stack) => {
    const task = await stack.raise({ ...input, dueAt: new Date(Date.now() - 1_000) });
    await within(10_000, () =>
      stack.database.userTask.findFirst({ where: { id: task.taskId, revision: 2 } }),
    );
    await send(stack, task, manager, { kind: 'update', expectedRevision: 2, dueAt: null });
    await send(stack, task, manager, { kind: 'cancel', expectedRevision: 3, operationId: 'stop' });
    return task;
  },
  'cancelled-by-a-manager': async (stack) => {
    const task = await stack.raise(input);
    await send(stack, task, manager, { kind: 'cancel', operationId: 'stop' });
    return task;
  },
  'cancelled-with-its-owner': async (stack) => {
    const task = await stack.raise(input);
    await send(stack, task, clerk, { kind: 'claim' });
    await task.owner.cancel();
    await rowThatIs(stack, task, 'Cancelled');
    return task;
  },
};

/** Starts of tasks that continue as new: recorded apart, run by run. */
async function continued(stack: TaskStack): Promise<readonly [string, string]> {
  const taskId = 'task_00000000-0000-4000-8000-000000000001';
  const workflowId = `user-task/acme/${taskId}`;
  const ownerDefinition = { id: 'byHand', name: 'By hand', version: null, instanceReference: null };
  const inputs = { title: 'Long', candidateGroups: [CLERKS], dueAt: '2126-01-01T00:00:00Z' };
  const start = {
    tenantId: 'acme',
    taskId,
    activityInstanceId: 'step',
    inputs,
    ownerDefinition,
    historyLimit: 10,
  };
  await stack.client.workflow.start('byHand', {
    workflowId: `owner-${stack.taskQueue}`,
    taskQueue: stack.taskQueue,
    args: [{ starts: [start], taskQueue: stack.taskQueue }],
  });
  const row = await within(10_000, () =>
    stack.database.userTask.findFirst({ where: { id: taskId } }),
  );
  const task = { taskId: taskId as RaisedTask['taskId'], workflowId };
  await send(stack, task, clerk, { kind: 'claim' });
  await send(stack, task, clerk, { kind: 'release', expectedRevision: 2 });
  const handle = stack.client.workflow.getHandle(workflowId);
  await within(10_000, async () => (await handle.describe()).runId !== row.runId);
  const second = (await handle.describe()).runId;
  await send(stack, task, manager, { kind: 'update', expectedRevision: 3, priority: 1 });
  return [row.runId, second];
}

/** A history as it is kept: a task refuses to run under another workflow id than its own. */
interface Recorded {
  readonly workflowId: string;
  readonly events: readonly object[];
}

async function record(
  stack: TaskStack,
  name: string,
  workflowId: string,
  runId?: string,
): Promise<void> {
  const history = await stack.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const plain = History.toObject(History.fromObject(history), {
    bytes: String,
    enums: String,
    longs: String,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ workflowId, ...plain })}\n`);
}

if (recordHistories()) {
  it('writes one history for each path', async () => {
    const stack = await createTaskStack();
    try {
      for (const [name, take] of Object.entries(PATHS)) {
        const task = await take(stack);
        await stack.client.workflow
          .getHandle(task.workflowId)
          .result()
          .catch(() => undefined);
        await record(stack, name, task.workflowId);
      }
      const [first, second] = await continued(stack);
      const workflowId = 'user-task/acme/task_00000000-0000-4000-8000-000000000001';
      await record(stack, 'continued-first-run', workflowId, first);
      await record(stack, 'continued-second-run', workflowId, second);
    } finally {
      await stack.close();
    }
  }, 60_000);
}

describe('replaying recorded histories', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

  it('has one for each path', () => {
    const paths = [...Object.keys(PATHS), 'continued-first-run', 'continued-second-run'];
    expect(names.map((name) => name.replace('.json', '')).sort()).toEqual(paths.sort());
  });

  it('takes the same decisions as when they were recorded (UT-113, UT-266)', async () => {
    const histories = names.map((name) => {
      const { workflowId, ...plain } = JSON.parse(
        readFileSync(join(folder, name), 'utf8'),
      ) as Recorded;
      return { workflowId, history: History.fromObject(plain) };
    });
    const results = Worker.runReplayHistories(
      {
        workflowsPath: require.resolve('../../workflows'),
        dataConverter: createTaskWorkerDataConverter(testKeyRing()),
        replayName: 'recorded',
      },
      histories,
    );
    const errors: string[] = [];
    for await (const { workflowId, error } of results) {
      if (error !== undefined) errors.push(`${workflowId}: ${error.message}`);
    }
    expect(errors).toEqual([]);
  });
});
