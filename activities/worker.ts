import { createServer, type Server } from 'node:http';
import { Client } from '@temporalio/client';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { formProviders, type FormProviders } from '../forms/form-provider';
import { databaseFormStore } from '../forms/form-store';
import { jsonSchemaProvider } from '../forms/json-schema-provider';
import { emptyDirectory, type Directory } from '../people/directory';
import { staticDirectory } from '../people/static-directory';
import { readConfig, type Config } from '../platform/config';
import { createDataConverter, createTaskWorkerDataConverter } from '../platform/data-converter';
import { loadExtensions, type Extensions } from '../platform/extensions';
import { loadKeyRing } from '../platform/key-ring';
import { createLogger, type Logger } from '../platform/logger';
import { connectWorker, createTemporalClient } from '../platform/temporal';
import { createDatabase } from '../prisma/db';
import { createSecretBox } from '../platform/secret-box';
import { createWakeListener } from '../platform/wake-listener';
import { DISPATCHER_TIMES, startDispatcher } from './notifications/dispatcher';
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
}

/** A worker for the user task workflows and their activities, not running yet. */
export function createUserTaskWorker(parts: WorkerParts): Promise<Worker> {
  const { connection, namespace, taskQueue, client, database, dataConverter, forms, directory } = parts;
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter,
    workflowsPath: require.resolve('../workflows'),
    activities: createUserTaskActivities({ database, forms, directory, readSnapshot: createSnapshotReader(client) }),
    shutdownGraceTime: '10 seconds',
  });
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger('worker', config.LOG_LEVEL);
  const keyRing = loadKeyRing(config.COUNTERSIGN_KEY_FILE);
  const database = createDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE, applicationName: 'countersign-worker' });
  const extensions = await loadExtensions(config.COUNTERSIGN_EXTENSIONS);
  const { connection, namespace } = await connectWorker();
  const worker = await createUserTaskWorker({
    connection,
    namespace,
    taskQueue: config.COUNTERSIGN_TASK_QUEUE,
    client: createTemporalClient(createDataConverter(keyRing)),
    database,
    dataConverter: createTaskWorkerDataConverter(keyRing),
    forms: formProviders([jsonSchemaProvider(databaseFormStore(database)), ...(extensions.formProviders ?? [])]),
    directory: directoryOf(config, extensions),
  });
  const wakes = createWakeListener({ databaseUrl: config.DATABASE_URL, log: logger, applicationName: 'countersign-worker-listen' });
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
  // The worker itself answers SIGINT and SIGTERM: it takes no more work and ends what runs.
  await worker.run();
  health.close();
  await dispatcher.stop();
  await wakes.close();
  await connection.close();
  await database.$disconnect();
  logger.info('worker has stopped');
}

function directoryOf(config: Config, extensions: Extensions): Directory {
  if (extensions.directory !== undefined) return extensions.directory;
  const file = config.COUNTERSIGN_DIRECTORY_FILE;
  return file === undefined ? emptyDirectory : staticDirectory(file);
}

function serveHealth(config: Config, worker: Worker, logger: Logger): Server {
  const server = createServer((request, response) => {
    const ready = request.url === '/livez' || worker.getState() === 'RUNNING';
    response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: worker.getState() }));
  });
  return server.listen(config.COUNTERSIGN_WORKER_HEALTH_PORT, '127.0.0.1', () => logger.info({ taskQueue: config.COUNTERSIGN_TASK_QUEUE }, 'worker runs'));
}

if (require.main === module) {
  main().catch((error: unknown) => {
    createLogger('worker', 'error').fatal({ err: error }, 'worker cannot run');
    process.exit(1);
  });
}
