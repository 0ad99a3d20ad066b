/**
 * The worker of the example workflows, in a process of its own: `npm run example:worker` beside a running stack. Ctrl-C
 * ends it; open user tasks stay, and the next worker goes on with their owners.
 */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startExamplesWorker } from './examples-worker';
import { runExample } from './run-example';
import { EXAMPLES_TASK_QUEUE, readExampleSettings } from './settings';

runExample(async () => {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const worker = await startExamplesWorker(readExampleSettings(process.env), console.error);
  console.log(`Running example workflows on task queue ${EXAMPLES_TASK_QUEUE}; Ctrl-C ends.`);
  await worker.ended;
});
