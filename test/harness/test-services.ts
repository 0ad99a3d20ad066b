import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { migrate } from '../../prisma/migrate';
import { readDevStack, type DevStack } from '../../scripts/dev-stack';
import { ensureClient } from '../../scripts/ensure-client';
import { freePort } from '../../scripts/services/port';
import {
  ensureDatabase,
  requireDatabase,
  startPostgres,
  withClient,
} from '../../scripts/services/postgres';
import {
  findRecorded,
  recordProcess,
  stopRecordedProcesses,
} from '../../scripts/services/process-record';
import type { Report } from '../../scripts/services/progress';
import {
  openStateFolder,
  projectFolder,
  type StateFolder,
} from '../../scripts/services/state-folder';
import { temporalExecutable } from '../../scripts/services/temporal-executable';
import { ensureSearchAttributes } from '../../scripts/services/temporal-namespace';
import { startTemporal } from '../../scripts/services/temporal-server';
import { timeSkippingExecutable } from '../../scripts/services/time-skipping-server';
import type { TestEnvironment } from './test-environment';
import { setting } from '../../scripts/setting';

/** The services of one test run. */
export interface TestServices {
  readonly environment: TestEnvironment;
  /** Stops what was started and removes its data. */
  stop(): Promise<void>;
}

type Undo = () => Promise<void>;

const stopOrder = ['temporal', 'postgres'];
const runsFolder = join(projectFolder, '.countersign', 'test');

/**
 * Starts PostgreSQL and Temporal for one test run, on free ports and with data of their own that
 * are thrown away, or uses those that DATABASE_URL and TEMPORAL_ADDRESS name. Programs that were
 * downloaded or built before are used again.
 */
export async function startTestServices(report: Report): Promise<TestServices> {
  await ensureClient(report);
  await removeDeadRuns();
  const state = openStateFolder(join(runsFolder, String(process.pid)));
  recordProcess(state.run, 'test-run', process.pid);
  const undo: Undo[] = [
    () => Promise.resolve(rmSync(state.root, { recursive: true, force: true })),
  ];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  endWithSignals(state);
  try {
    const stack = readDevStack();
    const timeSkippingServer = await timeSkippingExecutable(report);
    const [database, temporal] = await Promise.all([
      testDatabase(state, report, undo),
      testTemporal(state, stack, report, undo),
    ]);
    return { environment: { ...database, ...temporal, timeSkippingServer }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** jest runs no teardown on Ctrl-C, and the services are out of the terminal's reach. */
function endWithSignals(state: StateFolder): void {
  const stopAndEnd = (): void => {
    void stopRecordedProcesses(state.run, stopOrder, () => undefined)
      .then(() => rmSync(state.root, { recursive: true, force: true }))
      .finally(() => process.exit(130));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stopAndEnd);
}

async function testDatabase(
  state: StateFolder,
  report: Report,
  undo: Undo[],
): Promise<Pick<TestEnvironment, 'databaseAdminUrl' | 'databaseTemplate'>> {
  const databaseAdminUrl = setting('DATABASE_URL') ?? (await ownDatabase(state, report, undo));
  await requireDatabase(databaseAdminUrl);
  const databaseTemplate = `countersign_template_${process.pid}`;
  await ensureDatabase(databaseAdminUrl, databaseTemplate);
  if (setting('DATABASE_URL') !== undefined) {
    undo.push(() => dropDatabase(databaseAdminUrl, databaseTemplate));
  }
  const url = new URL(databaseAdminUrl);
  url.pathname = `/${databaseTemplate}`;
  await migrate(url.href);
  return { databaseAdminUrl, databaseTemplate };
}

async function ownDatabase(state: StateFolder, report: Report, undo: Undo[]): Promise<string> {
  const plan = { state, port: await freePort(), throwAway: true, report };
  const postgres = await startPostgres(plan);
  undo.push(() => postgres.process.stop());
  return postgres.urlOf('postgres');
}

async function testTemporal(
  state: StateFolder,
  stack: DevStack,
  report: Report,
  undo: Undo[],
): Promise<Pick<TestEnvironment, 'address' | 'namespace' | 'uiPort'>> {
  if (setting('TEMPORAL_ADDRESS') !== undefined) return givenTemporal(stack);
  const executable = await temporalExecutable(stack.temporal.cliVersion, report);
  const server = await startTemporal({
    state,
    executable,
    settings: stack.temporal,
    port: await freePort(),
    uiPort: await freePort(),
    codecEndpoint: null,
  });
  undo.push(() => server.process.stop());
  return { address: server.address, namespace: server.namespace, uiPort: server.uiPort };
}

async function givenTemporal(
  stack: DevStack,
): Promise<Pick<TestEnvironment, 'address' | 'namespace' | 'uiPort'>> {
  const config = loadClientConnectConfig();
  const namespace = config.namespace ?? 'default';
  const connection = await Connection.connect(config.connectionOptions);
  try {
    await ensureSearchAttributes(connection, namespace, stack.temporal.searchAttributes);
  } finally {
    await connection.close();
  }
  const address = config.connectionOptions.address ?? setting('TEMPORAL_ADDRESS') ?? '';
  return { address, namespace, uiPort: null };
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, (client) => client.query(`drop database "${name}" with (force)`));
}

/** A test run that was killed leaves its servers and data; they go before the next run. */
async function removeDeadRuns(): Promise<void> {
  mkdirSync(runsFolder, { recursive: true });
  for (const name of readdirSync(runsFolder)) {
    const { root, run } = openStateFolder(join(runsFolder, name));
    if (findRecorded(run, 'test-run') !== null) continue;
    await stopRecordedProcesses(run, stopOrder, () => undefined);
    rmSync(root, { recursive: true, force: true });
  }
}
