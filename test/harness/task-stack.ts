import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { createUserTaskActivities } from '../../activities/user-tasks/create-activities';
import { createSnapshotReader } from '../../activities/user-tasks/read-snapshot';
import { TemporalGateway } from '../../api/temporal-gateway';
import type { CommandDependencies } from '../../api/user-tasks/execute-command';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import { createDataConverter } from '../../platform/data-converter';
import { parseKeyRing, type KeyRing } from '../../platform/key-ring';
import type { OwnerStart } from '../workflows/owners';
import { createTemporalEnvironment, uniqueTaskQueue } from './temporal-environment';
import { createTestDatabase } from './test-database';
import { within } from './within';

/** Keys of a test's own: nothing in Temporal stands in clear text, in tests as little as elsewhere. */
export function testKeyRing(): KeyRing {
  const key = Buffer.alloc(32, 7).toString('base64');
  return parseKeyRing(JSON.stringify({ current: 'test', keys: { test: key } }), 'test keys');
}

/** A worker, a database and everything that carries commands, for one test file. */
export interface TaskStack {
  readonly client: Client;
  readonly taskQueue: string;
  readonly database: CommandDependencies['database'];
  readonly databaseUrl: string;
  readonly deps: CommandDependencies;
  /** Starts an owner that raises one task; resolves once the task has its row. */
  raise(input: OwnerStart['input'], tenantId?: string): Promise<RaisedTask>;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface RaisedTask {
  readonly taskId: TaskId;
  /** Id of the workflow that is the task. */
  readonly workflowId: string;
  readonly owner: ReturnType<Client['workflow']['getHandle']>;
}

export interface TaskStackOptions {
  /** Milliseconds a caller waits for an outcome. */
  readonly answerTimeoutMs?: number;
  readonly worker?: Partial<WorkerOptions>;
}

/** Starts the whole path from a command to its row: worker, gateway, database. */
export async function createTaskStack(options: TaskStackOptions = {}): Promise<TaskStack> {
  const dataConverter = createDataConverter(testKeyRing());
  const [temporal, test] = await Promise.all([createTemporalEnvironment({ dataConverter }), createTestDatabase()]);
  const { client, nativeConnection } = temporal.environment;
  const taskQueue = uniqueTaskQueue();
  const readSnapshot = createSnapshotReader(client);
  const startWorker = (): Promise<RunningWorker> =>
    runWorker({
      connection: nativeConnection,
      namespace: client.options.namespace,
      taskQueue,
      dataConverter,
      workflowsPath: require.resolve('../workflows/owners'),
      activities: createUserTaskActivities(test.db, readSnapshot),
      ...options.worker,
    });
  let worker: RunningWorker | null = await startWorker();
  const deps: CommandDependencies = {
    database: test.db,
    gateway: new TemporalGateway(client, { answerTimeoutMs: options.answerTimeoutMs ?? 10_000 }),
    readSnapshot,
    commandDeadlineMs: 60_000,
  };
  return {
    client,
    taskQueue,
    database: test.db,
    databaseUrl: test.url,
    deps,
    raise: (input, tenantId = 'acme') => raise({ client, taskQueue, deps }, input, tenantId),
    stopWorker: async () => {
      await worker?.stop();
      worker = null;
    },
    startWorker: async () => {
      worker ??= await startWorker();
    },
    close: async () => {
      await worker?.stop();
      await temporal.teardown();
      await test.drop();
    },
  };
}

interface RunningWorker {
  stop(): Promise<void>;
}

async function runWorker(options: WorkerOptions): Promise<RunningWorker> {
  const worker = await Worker.create(options);
  const running = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await running;
    },
  };
}

async function raise(
  stack: Pick<TaskStack, 'client' | 'taskQueue' | 'deps'>,
  input: OwnerStart['input'],
  tenantId: string,
): Promise<RaisedTask> {
  const owner = await stack.client.workflow.start('oneTask', {
    workflowId: `owner-${randomUUID()}`,
    taskQueue: stack.taskQueue,
    args: [{ tenantId, taskQueue: stack.taskQueue, input } satisfies OwnerStart],
  });
  const row = await within(15_000, () =>
    stack.deps.database.userTask.findFirst({ where: { ownerWorkflowId: owner.workflowId } }),
  );
  const taskId = row.id as TaskId;
  return { taskId, workflowId: taskWorkflowId(tenantId, taskId), owner };
}
