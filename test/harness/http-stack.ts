import pino from 'pino';
import { TaskStream } from '../../api/notifications/task-stream';
import { TemporalGateway } from '../../api/temporal-gateway';
import type { SweeperDependencies } from '../../api/sweeper';
import { executeCommand, type CommandDependencies } from '../../api/user-tasks/execute-command';
import { createOperationWait } from '../../api/user-tasks/wait-for-operation';
import {
  taskDetailWire,
  taskPageWire,
  type TaskDetailWire,
  type TaskPageWire,
} from '../../api/user-tasks/wire';
import type { Person } from '../../domain/user-tasks/actor';
import { formProviders, type FormProvider } from '../../forms/form-provider';
import { databaseFormStore } from '../../forms/form-store';
import { jsonSchemaProvider } from '../../forms/json-schema-provider';
import { createWakeListener } from '../../platform/wake-listener';
import { createDatabase } from '../../prisma/db';
import { startApi, type Answer, type ApiUnderTest, type Sent } from '../api/start-api';
import { createTaskStack, type TaskStack, type TaskStackOptions } from './task-stack';
import { within } from './within';

/** Somebody at the API. */
export interface Caller {
  readonly get: (path: string, sent?: Sent) => Promise<Answer>;
  readonly post: (path: string, json: unknown, sent?: Sent) => Promise<Answer>;
  readonly patch: (path: string, json: unknown) => Promise<Answer>;
  /** The detail of a task, whose shape is checked to the last field. @throws unless the answer is 200 */
  readonly read: (taskId: string) => Promise<TaskDetailWire>;
  /** A page of a list, checked likewise. @param query - from the question mark on */
  readonly list: (query: string) => Promise<TaskPageWire>;
  /** The detail once it has this status. */
  readonly readOnce: (taskId: string, status: TaskDetailWire['status']) => Promise<TaskDetailWire>;
}

/** One API process with a pool, a gateway and a listening connection of its own. */
export interface ApiNode {
  readonly api: ApiUnderTest;
  readonly deps: CommandDependencies & SweeperDependencies;
  readonly as: (person: Person) => Caller;
  /** Everything that the process has logged, as text. */
  readonly logged: () => string;
  readonly close: () => Promise<void>;
}

/** The whole product in one process: worker, database and API. */
export interface HttpStack extends Omit<TaskStack, 'close'> {
  /** The API whose way to the database is `apiDatabase`. */
  readonly node: ApiNode;
  /** The same caller as `node.as`. */
  readonly as: ApiNode['as'];
  /** Starts another API process on the same database; `close` of the stack ends it too. */
  readonly startNode: (overrides?: Partial<ApiNode['deps']>) => Promise<ApiNode>;
  /** Installs a form provider in worker and API, as a restart with another configuration does. */
  readonly install: (provider: FormProvider) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the product as `api/server.ts` and `activities/worker.ts` do, but for the sweeper, which tests call. */
export async function createHttpStack(options: TaskStackOptions = {}): Promise<HttpStack> {
  const installed = [...(options.formProviders ?? [])];
  const stack = await createTaskStack({ ...options, formProviders: installed });
  const nodes = new Set<ApiNode>();
  const start = async (deps: ApiNode['deps'], onClose: () => Promise<void>): Promise<ApiNode> => {
    const started = await startNode(stack.databaseUrl, withForms(deps, installed), onClose);
    const node: ApiNode = {
      ...started,
      close: async () => {
        nodes.delete(node);
        await started.close();
      },
    };
    nodes.add(node);
    return node;
  };
  const node = await start(stack.deps, () => Promise.resolve());
  return {
    ...stack,
    node,
    as: node.as,
    startNode: (overrides = {}) => {
      const database = createDatabase(stack.databaseUrl, { poolSize: 5 });
      const gateway = new TemporalGateway(stack.client, {
        answerTimeoutMs: options.answerTimeoutMs ?? 10_000,
      });
      const deps = { ...stack.deps, database, gateway, ...overrides };
      return start(deps, () => database.$disconnect());
    },
    install: async (provider) => {
      installed.push(provider);
      await stack.stopWorker();
      await stack.startWorker();
    },
    close: async () => {
      for (const each of [...nodes]) await each.close();
      await stack.close();
    },
  };
}

/** The dependencies with whatever providers are installed when they are asked for. */
function withForms(deps: ApiNode['deps'], installed: readonly FormProvider[]): ApiNode['deps'] {
  const stored = jsonSchemaProvider(databaseFormStore(deps.database));
  return { ...deps, forms: (name) => formProviders([stored, ...installed])(name) };
}

async function startNode(
  databaseUrl: string,
  given: ApiNode['deps'],
  onClose: () => Promise<void>,
): Promise<ApiNode> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const deps = { ...given, logger: log };
  const { database } = deps;
  const wakes = createWakeListener({ databaseUrl, log });
  const stream = new TaskStream({ database, wakes, log });
  const api = await startApi({
    database,
    log,
    stream,
    executeCommand: (request) => executeCommand(deps, request),
    waitForOperation: createOperationWait(database, wakes),
  });
  return {
    api,
    deps,
    as: (person) => callerOf(api, person),
    logged: () => lines.join(''),
    close: async () => {
      await stream.close();
      await api.close();
      await wakes.close();
      await onClose();
    },
  };
}

function callerOf(api: ApiUnderTest, person: Person): Caller {
  const read = async (taskId: string): Promise<TaskDetailWire> =>
    taskDetailWire.parse(ok(await api.get(`/user-tasks/${taskId}`, person)));
  return {
    get: (path, sent) => api.get(path, person, sent),
    post: (path, json, sent) => api.post(path, person, json, sent),
    patch: (path, json) => api.send('PATCH', path, person, { json }),
    read,
    list: async (query) => taskPageWire.parse(ok(await api.get(`/user-tasks${query}`, person))),
    readOnce: (taskId, status) =>
      within(20_000, async () => {
        const task = await read(taskId);
        return task.status === status && task;
      }),
  };
}

function ok({ status, body, text }: Answer): Answer['body'] {
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return body;
}
