import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createSnapshotReader } from '../activities/user-tasks/read-snapshot';
import type { Config } from '../platform/config';
import { createDataConverter } from '../platform/data-converter';
import { formProviders } from '../forms/form-provider';
import { databaseFormStore } from '../forms/form-store';
import { jsonSchemaProvider } from '../forms/json-schema-provider';
import { loadExtensions } from '../platform/extensions';
import { loadKeyRing } from '../platform/key-ring';
import type { Logger } from '../platform/logger';
import { createPayloadCodec } from '../platform/payload-codec';
import { createSecretBox } from '../platform/secret-box';
import { runProcess } from '../platform/run-process';
import { createTemporalClient } from '../platform/temporal';
import { createWakeListener, type Wakes } from '../platform/wake-listener';
import { createDatabase } from '../prisma/db';
import type { PrismaClient } from '../prisma/generated/client';
import { createApp } from './app';
import { claimNamesOf } from './claims';
import { describeError } from './describe-error';
import { TaskStream } from './notifications/task-stream';
import { startSweeper } from './sweeper';
import { TemporalGateway } from './temporal-gateway';
import { createTokenVerifier, trustedIssuersOf } from './token-verifier';
import { executeCommand, type CommandDependencies } from './user-tasks/execute-command';
import { createOperationWait } from './user-tasks/wait-for-operation';

/** How long requests that are being answered may take once the process is asked to stop. */
const DRAIN_MS = 15_000;

/** The HTTP process: its parts are wired here only. */
async function main(config: Config, log: Logger): Promise<void> {
  const database = createDatabase(config.DATABASE_URL, {
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'countersign-api',
    onConnectionError: (error) =>
      log.warn({ error: describeError(error) }, 'a database connection broke'),
  });
  const extensions = await loadExtensions(config.COUNTERSIGN_EXTENSIONS);
  const keyRing = loadKeyRing(config.COUNTERSIGN_KEY_FILE);
  const client = createTemporalClient(createDataConverter(keyRing));
  const wakes = createWakeListener({
    databaseUrl: config.DATABASE_URL,
    log,
    applicationName: 'countersign-api-listen',
  });
  const stream = config.COUNTERSIGN_REALTIME ? taskStream(config, database, wakes, log) : null;
  const gateway = new TemporalGateway(client, {
    answerTimeoutMs: config.COUNTERSIGN_ANSWER_TIMEOUT_SECONDS * 1000,
  });
  const commands: CommandDependencies = {
    database,
    gateway,
    readSnapshot: createSnapshotReader(client),
    forms: formProviders([
      jsonSchemaProvider(databaseFormStore(database)),
      ...(extensions.formProviders ?? []),
    ]),
    commandDeadlineMs: config.COUNTERSIGN_COMMAND_DEADLINE_SECONDS * 1000,
  };
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const stopping = new AbortController();
  const app = createApp({
    log,
    database,
    metrics,
    codec: createPayloadCodec(keyRing),
    uiOrigins: config.COUNTERSIGN_TEMPORAL_UI_ORIGINS.split(',').filter((origin) => origin !== ''),
    verifyToken: createTokenVerifier(await trustedIssuersOf(config)),
    claimNames: claimNamesOf(config),
    rateLimitPerMinute: config.COUNTERSIGN_RATE_LIMIT_PER_MINUTE,
    trustedProxies: config.COUNTERSIGN_TRUST_PROXY,
    executeCommand: (request) => executeCommand(commands, request),
    waitForOperation: createOperationWait(database, wakes),
    stream,
    pollingIntervalSeconds: config.COUNTERSIGN_POLLING_INTERVAL_SECONDS,
    secretBox: createSecretBox(keyRing),
    strictWebhooks: config.NODE_ENV === 'production',
    probes: {
      process: () =>
        stopping.signal.aborted ? Promise.reject(new Error('stopping')) : Promise.resolve(),
      database: () => database.$queryRaw`select 1`,
      temporal: async () => {
        if (!(await gateway.isReachable())) throw new Error('unreachable');
      },
    },
  });
  const server = app.listen(config.COUNTERSIGN_HTTP_PORT, config.COUNTERSIGN_HTTP_HOST);
  await once(server, 'listening');
  const sweeper = startSweeper({
    ...commands,
    logger: log,
    sweepAfterMs: config.COUNTERSIGN_SWEEP_AFTER_SECONDS * 1000,
  });
  log.info({ address: addressOf(server) }, 'api listens');

  await untilAskedToStop();
  stopping.abort();
  await stream?.close();
  await drain(server);
  await wakes.close();
  await sweeper.stop();
  await client.connection.close();
  await database.$disconnect();
  log.info('api has stopped');
}

function taskStream(config: Config, database: PrismaClient, wakes: Wakes, log: Logger): TaskStream {
  const settings = { connectionsPerCaller: config.COUNTERSIGN_STREAMS_PER_CALLER };
  return new TaskStream({ database, wakes, log, settings });
}

function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function untilAskedToStop(): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
}

/** Takes no more requests, lets those that run end, and after a while ends them. */
async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}

if (require.main === module) runProcess('api', process.env, main);
