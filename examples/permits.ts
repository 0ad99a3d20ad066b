/**
 * Runs an event log through a running stack (`npm start`): `npm run example:permits -- FILE.csv`. Every case is a
 * workflow, every row a user task that its person finds, claims and completes over HTTP. At the end every case is proved
 * from three sources: what its workflow returned, the list's rows, and the events.
 */
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { loadOrCreateDevIssuer } from '../platform/dev-issuer';
import { connectClient } from './connect';
import { startExamplesWorker } from './examples-worker';
import { MUNICIPALITY } from './permit-case';
import { readEventLog, type EventLog } from './permits/event-log';
import { showLatencies } from './permits/latencies';
import { startProgressLine } from './permits/progress-line';
import { runPermits, type PermitsReport } from './permits/run-permits';
import { runExample } from './run-example';
import { EXAMPLES_TASK_QUEUE, readExampleSettings, type ExampleSettings } from './settings';
import { readStackFile } from '../scripts/stack-file';
import { createUserTaskApi, type UserTaskApi } from './user-task-api';

const USAGE = `npm run example:permits -- FILE.csv [options]

  --concurrency N  cases in flight (12)
  --limit N        only the first N cases
  --run ID         name of the run in the workflow ids (the time)
  --patience N     seconds for which one step waits for what is away (300)
  --no-worker      leave the workflows to "npm run example:worker"

COUNTERSIGN_URL is the API (http://127.0.0.1:3000), TEMPORAL_ADDRESS the server.`;

const PERSON_GRANTS = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];
const MANAGER_GRANTS = ['user-tasks:view', 'user-tasks:supervise'];
const SHOWN_DIFFERENCES = 30;

interface Options {
  readonly file: string;
  readonly concurrency: number;
  readonly limit: number;
  readonly runId: string;
  readonly patienceMs: number;
  readonly ownWorker: boolean;
}

function readOptions(args: readonly string[]): Options | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      concurrency: { type: 'string', default: '12' },
      limit: { type: 'string', default: 'Infinity' },
      run: { type: 'string', default: new Date().toISOString() },
      patience: { type: 'string', default: '300' },
      'no-worker': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [file] = positionals;
  if (values.help || file === undefined) return null;
  return {
    file,
    concurrency: positive('concurrency', values.concurrency),
    limit: positive('limit', values.limit),
    runId: values.run,
    patienceMs: positive('patience', values.patience) * 1_000,
    ownWorker: !values['no-worker'],
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not "${text}".`);
  return value;
}

/** The API as every person of the log, with their groups, and as a manager. */
async function apisOf(
  log: EventLog,
  settings: ExampleSettings,
  patienceMs: number,
): Promise<{ manager: UserTaskApi; apiOf: (person: string) => UserTaskApi }> {
  const issuer = await loadOrCreateDevIssuer(settings.devIssuerKeyFile);
  const api = async (subject: string, groups: readonly string[], grants: readonly string[]) => {
    const token = await issuer.token({
      subject,
      name: subject,
      provider: MUNICIPALITY,
      groups,
      grants,
    });
    return createUserTaskApi({ baseUrl: settings.apiUrl, token, patienceMs });
  };
  const people = new Map<string, UserTaskApi>();
  for (const [person, groups] of log.people)
    people.set(person, await api(person, groups, PERSON_GRANTS));
  const manager = await api('permits-manager', [], MANAGER_GRANTS);
  const apiOf = (person: string): UserTaskApi => {
    const found = people.get(person);
    if (found === undefined) throw new Error(`${person} is not in the log.`);
    return found;
  };
  return { manager, apiOf };
}

async function runFile(options: Options, settings: ExampleSettings): Promise<PermitsReport> {
  const whole = readEventLog(options.file);
  const log = { ...whole, cases: whole.cases.slice(0, options.limit) };
  const { manager, apiOf } = await apisOf(log, settings, options.patienceMs);
  await requireStack(settings);
  const activities = log.cases.reduce((sum, permit) => sum + permit.activities.length, 0);
  console.log(
    `${options.file}: ${log.cases.length} cases, ${activities} activities, run ${options.runId}.`,
  );
  const client = connectClient(settings);
  const worker = options.ownWorker ? await startExamplesWorker(settings, console.error) : null;
  let finished = false;
  // Ctrl-C ends the worker, and without one nothing goes on.
  void worker?.ended.then(() => finished || process.exit(130));
  const line = startProgressLine({ cases: log.cases.length, activities });
  try {
    return await runPermits({
      log,
      client,
      taskQueue: EXAMPLES_TASK_QUEUE,
      manager,
      apiOf,
      workflowIdOf: (caseId) => `permit/${options.runId}/${caseId}`,
      patienceMs: options.patienceMs,
      concurrency: options.concurrency,
      onProgress: line.show,
    });
  } finally {
    finished = true;
    line.end();
    await worker?.stop();
    await client.connection.close();
  }
}

async function requireStack({ apiUrl }: ExampleSettings): Promise<void> {
  const answers = await fetch(`${apiUrl}/livez`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  );
  if (answers === null)
    throw new Error(`Nothing answers at ${apiUrl}; start the stack with "npm start".`);
}

function show(report: PermitsReport): void {
  const perSecond = (report.activities / report.seconds).toFixed(1);
  console.log(
    `${report.cases} cases, ${report.activities} activities in ${report.seconds.toFixed(1)} s: ${perSecond} activities per second.`,
  );
  console.log(`claim     ${showLatencies(report.claim)}`);
  console.log(`complete  ${showLatencies(report.complete)}`);
  if (report.retried > 0)
    console.log(`${report.retried} activities needed a request more than once.`);
}

/** A stack that `npm start` runs from this folder says where it is; the environment comes first. */
function findRunningStack(): void {
  const stack = readStackFile(process.env['COUNTERSIGN_STATE'] ?? '.countersign');
  for (const [name, value] of Object.entries(stack)) process.env[name] ??= value;
}

runExample(async () => {
  findRunningStack();
  const options = readOptions(process.argv.slice(2));
  if (options === null) throw new Error(USAGE);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const report = await runFile(options, readExampleSettings(process.env));
  show(report);
  if (report.wrong.length > 0) {
    const shown = report.wrong.slice(0, SHOWN_DIFFERENCES).join('\n  ');
    throw new Error(`NOT as in the log, ${report.wrong.length} differences:\n  ${shown}`);
  }
  console.log('Every case went through exactly its activities, by exactly its people, in order:');
  console.log(
    'the results of the workflows, the rows of the list and the events of every task agree with the log.',
  );
});
