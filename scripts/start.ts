import { join } from 'node:path';
import { migrate } from '../prisma/migrate';
import { readDevStack } from './dev-stack';
import { ensureClient } from './ensure-client';
import { keepRunning } from './keep-running';
import type { Launch } from './launch';
import { beginLifecycle } from './lifecycle';
import { ensurePayloadKeys } from './payload-keys';
import { runScript } from './run-script';
import { startDatabase } from './start-database';
import { writeStackFile } from './stack-file';
import { startProgram, type Program } from './start-program';
import { readStartOptions, usage, type StartOptions } from './start-options';
import { startSample, type Sample } from './start-sample';
import { startTemporalFor, type TemporalAccess } from './start-temporal';
import { rotateLog } from './services/managed-process';
import { requireFreePort, type PortChoice } from './services/port';
import type { Report } from './services/progress';
import { defaultStateRoot, openStateFolder } from './services/state-folder';
import { setting } from './setting';

const report: Report = (line) => console.log(line);

/** `npm start`: brings up everything that is missing and stays until Ctrl-C. */
async function start(): Promise<void> {
  const stack = readDevStack();
  const options = readStartOptions(process.argv.slice(2), process.env, stack);
  if (options.help) {
    report(usage);
    return;
  }
  const state = openStateFolder(defaultStateRoot());
  const lifecycle = await beginLifecycle(state, report);
  try {
    await startAll({ state, stack, options, lifecycle, report });
  } catch (error) {
    // Ctrl-C makes whatever was being started fail; that is no news.
    if (lifecycle.isEnding()) return;
    await lifecycle.end({ quietly: true });
    throw error;
  }
}

async function startAll(launch: Launch): Promise<void> {
  const { state, options } = launch;
  await requireFreePorts(options);
  for (const name of ['postgres', 'temporal', 'worker', 'api', 'examples']) rotateLog(state, name);
  await ensureClient(report);

  const databaseUrl = await startDatabase(launch);
  const { applied } = await migrate(databaseUrl, { retryFailed: options.retryMigration });
  if (applied.length > 0) report(`Database migrated: ${applied.join(', ')}.`);
  const temporal = await startTemporalFor(launch);

  const environment = environmentOf(launch, databaseUrl, temporal);
  writeStackFile(state.root, environment);
  const programs: Program[] = [
    {
      name: 'worker',
      script: 'activities/worker.ts',
      port: options.ports.worker.port,
      environment,
    },
    { name: 'api', script: 'api/server.ts', port: options.ports.api.port, environment },
  ];
  report('Starting worker and API.');
  await Promise.all(programs.map((program) => run(launch, program)));
  const sample = options.sample ? await runSample(launch, environment) : null;
  if (!launch.lifecycle.isEnding()) summarize(launch, databaseUrl, temporal, sample);
}

async function run({ state, lifecycle }: Launch, program: Program): Promise<void> {
  const begin = () => startProgram(state, program);
  void keepRunning(lifecycle, await begin(), begin, report);
}

/** The sample, and a worker that goes on with its workflow once somebody has decided. */
async function runSample(launch: Launch, environment: NodeJS.ProcessEnv): Promise<Sample | null> {
  report('Starting the sample approval.');
  const sample = await startSample(environment, report);
  if (sample !== null && !launch.lifecycle.isEnding()) {
    const script = 'examples/worker.ts';
    await run(launch, { name: 'examples', script, port: null, environment });
  }
  return sample;
}

/** Checked before anything starts, so that nothing has to be stopped again. */
async function requireFreePorts({ ports }: StartOptions): Promise<void> {
  const needed: PortChoice[] = [ports.api, ports.worker];
  if (setting('DATABASE_URL') === undefined) needed.push(ports.postgres);
  if (setting('TEMPORAL_ADDRESS') === undefined) needed.push(ports.temporal, ports.ui);
  for (const choice of needed) await requireFreePort(choice);
}

function environmentOf(
  { state, stack, options }: Launch,
  databaseUrl: string,
  temporal: TemporalAccess,
): NodeJS.ProcessEnv {
  const keyFile = join(state.keys, 'payload-keys.json');
  const ownKeyFile = setting('COUNTERSIGN_KEY_FILE');
  if (ownKeyFile === undefined && ensurePayloadKeys(keyFile)) {
    report(`Made a key for payload encryption in ${keyFile}.`);
  }
  return {
    NODE_ENV: 'development',
    COUNTERSIGN_TASK_QUEUE: stack.worker.taskQueue,
    COUNTERSIGN_HTTP_HOST: stack.http.host,
    COUNTERSIGN_KEY_FILE: keyFile,
    COUNTERSIGN_DEV_ISSUER_KEY_FILE: join(state.keys, 'dev-issuer.json'),
    ...temporal.environment,
    DATABASE_URL: databaseUrl,
    COUNTERSIGN_HTTP_PORT: String(options.ports.api.port),
    COUNTERSIGN_WORKER_HEALTH_PORT: String(options.ports.worker.port),
    COUNTERSIGN_TEMPORAL_UI_ORIGINS: ['127.0.0.1', 'localhost']
      .map((host) => `http://${host}:${options.ports.ui.port}`)
      .join(','),
  };
}

function summarize(
  { state, stack, options }: Launch,
  databaseUrl: string,
  temporal: TemporalAccess,
  sample: Sample | null,
): void {
  const lines = [
    '',
    'Countersign is running.',
    '',
    `  API          http://${stack.http.host}:${options.ports.api.port}`,
    `  Temporal     ${temporal.address}, namespace ${temporal.namespace}`,
    ...(temporal.uiUrl === null ? [] : [`  Temporal UI  ${temporal.uiUrl}`]),
    `  PostgreSQL   ${databaseUrl}`,
    `  Logs         ${state.logs}`,
    '',
    ...(sample === null
      ? []
      : [`A sample approval waits (${sample.taskId}). List it:`, '', `  ${sample.curl}`, '']),
    'Ctrl-C stops everything; the data stay.',
  ];
  for (const line of lines) report(line);
}

runScript(start);
