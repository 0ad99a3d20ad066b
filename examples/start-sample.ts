/**
 * Starts a sample invoice approval on a running stack, waits until somebody could claim it, and prints one JSON line
 * `{ taskId, workflowId, curl }`, where `curl` lists the waiting task as a member of accounts payable would.
 *
 * There is one sample: where it is open already, it is used again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { loadOrCreateDevIssuer } from '../platform/dev-issuer';
import { connectClient } from './connect';
import { startExamplesWorker } from './examples-worker';
import { ACCOUNTS_PAYABLE, FINANCE_MANAGERS, type invoiceApproval } from './invoice-approval';
import { runExample } from './run-example';
import { EXAMPLES_TASK_QUEUE, readExampleSettings, type ExampleSettings } from './settings';
import { createUserTaskApi } from './user-task-api';

const WORKFLOW_ID = 'sample-invoice-approval';
const PATIENCE_MS = 60_000;

const WORKER_GRANTS = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];

async function startSample(settings: ExampleSettings): Promise<void> {
  const client = connectClient(settings);
  await client.workflow.start<typeof invoiceApproval>('invoiceApproval', {
    workflowId: WORKFLOW_ID,
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: EXAMPLES_TASK_QUEUE,
    staticSummary: 'Sample: approve invoice 4711',
    args: [
      {
        number: '4711',
        supplier: 'Paper & Sons',
        amount: 1250,
        currency: 'EUR',
        submittedBy: 'sam',
        timeLimitMs: 2 * 24 * 3600 * 1000,
      },
    ],
  });
  const issuer = await loadOrCreateDevIssuer(settings.devIssuerKeyFile);
  const manager = await issuer.token({
    subject: 'mary',
    name: 'Mary Manager',
    grants: ['user-tasks:view', 'user-tasks:supervise'],
  });
  const clerk = await issuer.token({
    subject: 'alex',
    name: 'Alex Accountant',
    groups: [ACCOUNTS_PAYABLE.id, FINANCE_MANAGERS.id],
    grants: WORKER_GRANTS,
  });
  const taskId = await waitingTask(settings, manager);
  const url = `${settings.apiUrl}/user-tasks?scope=available&limit=20`;
  const curl = `curl -H 'Authorization: Bearer ${clerk}' '${url}'`;
  console.log(JSON.stringify({ taskId, workflowId: WORKFLOW_ID, curl }));
  await client.connection.close();
}

/** Asked as a manager, so that a sample that somebody holds already is found too. */
async function waitingTask(settings: ExampleSettings, token: string): Promise<string> {
  const api = createUserTaskApi({ baseUrl: settings.apiUrl, token, patienceMs: PATIENCE_MS });
  const deadline = Date.now() + PATIENCE_MS;
  const status = ['Available', 'Assigned', 'Unassigned'];
  while (Date.now() < deadline) {
    const { items } = await api.list({ scope: 'all', workflowInstanceId: WORKFLOW_ID, status });
    if (items[0] !== undefined) return items[0].id;
    await sleep(200);
  }
  throw new Error(`The sample raised no task within ${PATIENCE_MS / 1000} s.`);
}

runExample(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const settings = readExampleSettings(process.env);
  // Runs the owner until its task is raised; `npm run example:worker` goes on with it from there.
  const worker = await startExamplesWorker(settings, console.error);
  try {
    await startSample(settings);
  } finally {
    await worker.stop();
  }
});
