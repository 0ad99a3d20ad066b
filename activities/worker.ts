import { createServer, type Server } from 'node:http';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker, type NativeConnection } from '@temporalio/worker';
import { formProviders, type FormProviders } from '../forms/form-provider';
import { databaseFormStore } from '../forms/form-store';
import { jsonSchemaProvider } from '../forms/json-schema-provider';
import { emptyDirectory, type Directory } from '../people/directory';
import { staticDirectory } from '../people/static-directory';
import type { Config } from '../platform/config';
import { createDataConverter, createTaskWorkerDataConverter } from '../platform/data-converter';
import { loadExtensions, type Extensions } from '../platform/extensions';
import { loadKeyRing } from '../platform/key-ring';
import type { Logger } from '../platform/logger';
import { runProcess } from '../platform/run-process';
import { connectWorker, createTemporalClient } from '../platform/temporal';
import { createDatabase } from '../prisma/db';
import { createSecretBox } from '../platform/secret-box';
import { createWakeListener } from '../platform/wake-listener';
import { DISPATCHER_TIMES, startDispatcher } from './notifications/dispatcher';
import { createMaintenanceActivities } from './maintenance/create-maintenance-activities';
import type { MaintenanceDependencies } from './maintenance/dependencies';
import { ensureSchedules, type MaintenanceSchedule } from './maintenance/schedules';
import { createUserTaskActivities } from './user-tasks/create-activities';
import { createSnapshotReader } from './user-tasks/read-snapshot';
import type { PrismaClient } from '../prisma/generated/client';

/** Parts of a worker that runs user tasks. */
export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly client: Client;
  readonly database: PrismaClient;
  readonly dataConverter: ReturnType<typeof createDataConverter>;
  readonly forms: FormProviders;
  readonly directory: Directory;
  readonly maintenance: Pick<
    MaintenanceDependencies,
    'tenantIds' | 'defaultTenantId' | 'onFailure'
  >;
  /** Name and build id under which the worker is versioned; null for a worker that is not. See docs/upgrade.md. */
  readonly version: { readonly deploymentName: string; readonly buildId: string } | null;
}

/** A worker for the user task workflows and their activities, not running yet. */
export function createUserTaskWorker(parts: WorkerParts): Promise<Worker> {
  const {
    connection,
    namespace,
    taskQueue,
    client,
    database,
    dataConverter,
    forms,
    directory,
    version,
  } = parts;
  const readSnapshot = createSnapshotReader(client);
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter,
    workflowsPath: require.resolve('../workflows'),
    activities: {
      ...createUserTaskActivities({ database, forms, directory, readSnapshot }),
      ...createMaintenanceActivities({
        database,
        client,
        directory,
        readSnapshot,
        taskQueue,
        ...parts.maintenance,
      }),
    },
    shutdownGraceTime: '10 seconds',
    // A task lives longer than any version of this code: its next step runs on the current one.
    ...(version === null
      ? {}
      : {
          workerDeploymentOptions: {
            version,
            useWorkerVersioning: true,
            defaultVersioningBehavior: 'AUTO_UPGRADE',
          },
        }),
  });
}

async function main(config: Config, logger: Logger): Promise<void> {
  Runtime.install({ logger: sdkLogger(logger) });
  const keyRing = loadKeyRing(config.COUNTERSIGN_KEY_FILE);
  const database = createDatabase(config.DATABASE_URL, {
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'countersign-worker',
  });
  const extensions = await loadExtensions(config.COUNTERSIGN_EXTENSIONS);
  const directory = directoryOf(config, extensions);
  const client = createTemporalClient(createDataConverter(keyRing));
  const { connection, namespace } = await connectWorker();
  const worker = await createUserTaskWorker({
    connection,
    namespace,
    taskQueue: config.COUNTERSIGN_TASK_QUEUE,
    client,
    database,
    dataConverter: createTaskWorkerDataConverter(keyRing),
    forms: formProviders([
      jsonSchemaProvider(databaseFormStore(database)),
      ...(extensions.formProviders ?? []),
    ]),
    directory,
    maintenance: {
      tenantIds: config.COUNTERSIGN_WORKER_TENANTS,
      defaultTenantId: config.COUNTERSIGN_DEFAULT_TENANT,
      onFailure: (task, err) => logger.warn({ err, task }, 'maintenance could not look at a task'),
    },
    version: versionOf(config),
  });
  const wakes = createWakeListener({
    databaseUrl: config.DATABASE_URL,
    log: logger,
    applicationName: 'countersign-worker-listen',
  });
  const dispatcher = startDispatcher({
    database,
    wakes,
    log: logger,
    box: createSecretBox(keyRing),
    sink: extensions.notificationSink ?? null,
    strict: config.NODE_ENV === 'production',
    retryDelaysMs: config.COUNTERSIGN_WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1000),
    ...DISPATCHER_TIMES,
  });
  const health = serveHealth(config, worker, logger);
  // User tasks run without maintenance; the next start of a worker tries again.
  void ensureSchedules(client, scheduleOf(config, directory)).catch((error: unknown) => {
    logger.error({ err: error }, 'maintenance could not be scheduled');
  });
  // The worker itself answers SIGINT and SIGTERM: it takes no more work and ends what runs.
  await worker.run();
  health.close();
  await dispatcher.stop();
  await wakes.close();
  await connection.close();
  await database.$disconnect();
  logger.info('worker has stopped');
}

function versionOf({
  COUNTERSIGN_DEPLOYMENT_NAME: deploymentName,
  COUNTERSIGN_BUILD_ID: buildId,
}: Config): WorkerParts['version'] {
  return buildId === undefined ? null : { deploymentName, buildId };
}

function scheduleOf(config: Config, directory: Directory): MaintenanceSchedule {
  return {
    taskQueue: config.COUNTERSIGN_TASK_QUEUE,
    tenantIds: config.COUNTERSIGN_WORKER_TENANTS,
    reconcileEveryMs: config.COUNTERSIGN_RECONCILE_MINUTES * 60_000,
    retentionDays: config.COUNTERSIGN_RETENTION_DAYS ?? null,
    notificationDays: config.COUNTERSIGN_NOTIFICATION_DAYS,
    directoryEveryMs: directory.isReal ? config.COUNTERSIGN_DIRECTORY_SYNC_MINUTES * 60_000 : null,
  };
}

function directoryOf(config: Config, extensions: Extensions): Directory {
  if (extensions.directory !== undefined) return extensions.directory;
  const file = config.COUNTERSIGN_DIRECTORY_FILE;
  return file === undefined ? emptyDirectory : staticDirectory(file);
}

/** `/livez` says that the process runs, `/readyz` that it takes work. */
function serveHealth(config: Config, worker: Worker, logger: Logger): Server {
  const server = createServer((request, response) => {
    const state = worker.getState();
    const answers: Record<string, number> = {
      '/livez': 200,
      '/readyz': state === 'RUNNING' ? 200 : 503,
    };
    response.writeHead(answers[request.url ?? ''] ?? 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: state }));
  });
  const { COUNTERSIGN_WORKER_HEALTH_PORT: port, COUNTERSIGN_WORKER_HEALTH_HOST: host } = config;
  return server.listen(port, host, () =>
    logger.info({ taskQueue: config.COUNTERSIGN_TASK_QUEUE }, 'worker runs'),
  );
}

/** The SDK's own log lines, in the form of ours. */
function sdkLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    const write = {
      TRACE: 'trace',
      DEBUG: 'debug',
      INFO: 'info',
      WARN: 'warn',
      ERROR: 'error',
    } as const;
    logger[write[level]]({ ...meta }, message);
  });
}

if (require.main === module) runProcess('worker', process.env, main);
