import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { Client } from '@temporalio/client';
import {
  DefaultLogger,
  GracefulShutdownPeriodExpiredError,
  Runtime,
  Worker,
  type Logger,
  type WorkerOptions,
} from '@temporalio/worker';
import { createUserTaskActivities } from '../../activities/user-tasks/create-activities';
import { createSnapshotReader } from '../../activities/user-tasks/read-snapshot';
import type { SweeperDependencies } from '../../api/sweeper';
import { TemporalGateway } from '../../api/temporal-gateway';
import type { CommandDependencies } from '../../api/user-tasks/execute-command';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import { createDataConverter, createTaskWorkerDataConverter } from '../../platform/data-converter';
import { parseKeyRing, type KeyRing } from '../../platform/key-ring';
import { formProviders, type FormProvider } from '../../forms/form-provider';
import { databaseFormStore } from '../../forms/form-store';
import { jsonSchemaProvider } from '../../forms/json-schema-provider';
import { emptyDirectory, type Directory } from '../../people/directory';
import { createLogger } from '../../platform/logger';
import type { PrismaClient } from '../../prisma/generated/client';
import { createDatabase } from '../../prisma/db';
import type { OwnerStart } from '../workflows/owners';
import { createTcpProxy } from './tcp-proxy';
import {
  createTemporalEnvironment,
  createTimeSkippingEnvironment,
  uniqueTaskQueue,
} from './temporal-environment';
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
  /** For looking at rows: never cut off. */
  readonly database: CommandDependencies['database'];
  readonly databaseUrl: string;
  /** What the API process holds; its way to the database is `apiDatabase`. */
  readonly deps: CommandDependencies & SweeperDependencies;
  readonly apiDatabase: Cuttable;
  readonly workerDatabase: Cuttable;
  /** Starts an owner that raises one task; resolves once the task has its row. */
  raise(input: OwnerStart['input'], options?: RaiseOptions): Promise<RaisedTask>;
  /** Waits for the rows of the tasks that an owner has raised, by title. */
  tasksOf(ownerWorkflowId: string, count: number): Promise<readonly TaskAddress[]>;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** Lets time pass on the time-skipping server. */
  skip(milliseconds: number): Promise<void>;
  /** The server's present, in milliseconds since 1970. */
  now(): Promise<number>;
  close(): Promise<void>;
}

/** A way to a server that a test may take away. */
export interface Cuttable {
  cut(): void;
  restore(): void;
}

export interface RaiseOptions {
  readonly tenantId?: string;
  /** Workflow type of the owner; `oneTask` unless given. */
  readonly owner?: string;
  /** Further members of the owner's argument. */
  readonly with?: object;
}

export interface TaskAddress {
  readonly taskId: TaskId;
  /** Id of the workflow that is the task. */
  readonly workflowId: string;
}

export interface RaisedTask extends TaskAddress {
  readonly owner: ReturnType<Client['workflow']['getHandle']>;
}

export interface TaskStackOptions {
  /** Milliseconds a caller waits for an outcome. */
  readonly answerTimeoutMs?: number;
  /** Use a server of one's own in which timers of months pass in milliseconds. */
  readonly timeSkipping?: boolean;
  readonly worker?: Partial<WorkerOptions>;
  /** Who belongs to which group; there is no directory unless given. */
  readonly directory?: Directory;
  /** Beside the provider whose forms are in the database; read anew whenever the worker starts. */
  readonly formProviders?: readonly FormProvider[];
  /** Where the worker logs; warnings go to standard error unless given. */
  readonly sdkLogger?: Logger;
}

const YEAR_MS = 31_557_600_000;

/** Starts the whole path from a command to its row: worker, gateway, database. */
export async function createTaskStack(options: TaskStackOptions = {}): Promise<TaskStack> {
  Runtime.install({ logger: options.sdkLogger ?? quietLogger() });
  const dataConverter = createDataConverter(testKeyRing());
  const connect = options.timeSkipping ? createTimeSkippingEnvironment : createTemporalEnvironment;
  const [temporal, test] = await Promise.all([connect({ dataConverter }), createTestDatabase()]);
  const { client, nativeConnection } = temporal.environment;
  const taskQueue = uniqueTaskQueue();
  const readSnapshot = createSnapshotReader(client);
  const [api, work] = await Promise.all([
    databaseBehindProxy(test.url),
    databaseBehindProxy(test.url),
  ]);
  const formsOf = (database: PrismaClient) =>
    formProviders([
      jsonSchemaProvider(databaseFormStore(database)),
      ...(options.formProviders ?? []),
    ]);
  const startWorker = (): Promise<RunningWorker> =>
    runWorker({
      connection: nativeConnection,
      namespace: client.options.namespace,
      taskQueue,
      dataConverter: createTaskWorkerDataConverter(testKeyRing()),
      workflowsPath: require.resolve('../workflows/owners'),
      activities: createUserTaskActivities({
        database: work.database,
        readSnapshot,
        forms: formsOf(work.database),
        directory: options.directory ?? emptyDirectory,
      }),
      // The time-skipping server lets the worker's polls hang for most of a minute.
      ...(options.timeSkipping === true ? { shutdownForceTime: '1 second' } : {}),
      ...options.worker,
    });
  let worker: RunningWorker | null = await startWorker();
  const deps = {
    database: api.database,
    forms: formsOf(api.database),
    gateway: new TemporalGateway(client, { answerTimeoutMs: options.answerTimeoutMs ?? 10_000 }),
    readSnapshot,
    // The time-skipping server's clock runs years ahead of the one that stamps deadlines.
    commandDeadlineMs: options.timeSkipping === true ? 1_000 * YEAR_MS : 60_000,
    logger: createLogger('test', 'warn'),
    sweepAfterMs: 10_000,
  };
  const stack = { client, taskQueue, database: test.db };
  return {
    ...stack,
    databaseUrl: test.url,
    deps,
    apiDatabase: api.proxy,
    workerDatabase: work.proxy,
    raise: (input, raising) => raise(stack, input, raising),
    tasksOf: (ownerWorkflowId, count) => tasksOf(stack, ownerWorkflowId, count),
    stopWorker: async () => {
      await worker?.stop();
      worker = null;
    },
    startWorker: async () => {
      worker ??= await startWorker();
    },
    skip: (milliseconds) => temporal.environment.sleep(milliseconds),
    now: () => temporal.environment.currentTimeMs(),
    close: async () => {
      await worker?.stop();
      await temporal.teardown();
      await Promise.all([api.close(), work.close()]);
      await test.drop();
    },
  };
}

/** Warnings of the SDK, but not what the workflows themselves log: tests provoke that on purpose. */
function quietLogger(): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (meta?.['sdkComponent'] === 'workflow') return;
    process.stderr.write(`${level} ${message} ${inspect(meta)}\n`);
  });
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
      await running.catch((error: unknown) => {
        if (!(error instanceof GracefulShutdownPeriodExpiredError)) throw error;
      });
    },
  };
}

async function databaseBehindProxy(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const proxy = await createTcpProxy(url.hostname, Number(url.port));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const database = createDatabase(url.href, { poolSize: 5 });
  const close = async (): Promise<void> => {
    await database.$disconnect();
    await proxy.close();
  };
  return { database, proxy, close };
}

type Raising = Pick<TaskStack, 'client' | 'taskQueue' | 'database'>;

async function raise(
  stack: Raising,
  input: OwnerStart['input'],
  { tenantId = 'acme', owner: type = 'oneTask', with: more = {} }: RaiseOptions = {},
): Promise<RaisedTask> {
  const owner = await stack.client.workflow.start(type, {
    workflowId: `owner-${randomUUID()}`,
    taskQueue: stack.taskQueue,
    args: [{ tenantId, taskQueue: stack.taskQueue, input, ...more } satisfies OwnerStart],
  });
  const [task] = await tasksOf(stack, owner.workflowId, 1);
  if (task === undefined) throw new Error('no task was raised');
  return { ...task, owner };
}

async function tasksOf(
  { database }: Raising,
  ownerWorkflowId: string,
  count: number,
): Promise<readonly TaskAddress[]> {
  const orderBy = [{ title: 'asc' }, { createdAt: 'asc' }] as const;
  const rows = await within(40_000, async () => {
    const found = await database.userTask.findMany({
      where: { ownerWorkflowId },
      orderBy: [...orderBy],
    });
    return found.length >= count && found;
  });
  return rows.map(({ tenantId, id }) => ({
    taskId: id as TaskId,
    workflowId: taskWorkflowId(tenantId, id as TaskId),
  }));
}
