import { setTimeout as sleep } from 'node:timers/promises';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { createDataConverter, loadKeyRing } from '../client';
import { EXAMPLES_TASK_QUEUE, type ExampleSettings } from './settings';

/** A worker that runs until it is stopped. */
export interface ExamplesWorker {
  /** Finishes what it is doing and ends. */
  stop(): Promise<void>;
  /** Settles when the worker has ended: on a signal, or when it was stopped. */
  readonly ended: Promise<void>;
}

/**
 * Runs the example workflows in this process, which is not Countersign's: owners of user tasks need only the client and
 * the same data converter. Connects again for as long as Temporal is away.
 * @param report - receives a line when Temporal is lost
 */
export async function startExamplesWorker(
  settings: ExampleSettings,
  report: (line: string) => void,
): Promise<ExamplesWorker> {
  const dataConverter = createDataConverter(loadKeyRing(settings.keyFile));
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('./workflows'),
    ...(dataConverter.failureConverterPath === undefined
      ? {}
      : { failureConverterPath: dataConverter.failureConverterPath }),
    // Loading zod anew for every workflow costs 3 ms of CPU each.
    preloadModules: ['zod'],
    logger: new DefaultLogger('ERROR'),
  });
  let stopping = false;
  let running: Worker | null = null;

  const runOnce = async (): Promise<void> => {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
    const { address, tls, apiKey, metadata } = connectionOptions;
    const connection = await NativeConnection.connect({
      ...(address === undefined ? {} : { address }),
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    try {
      const options = { connection, namespace, taskQueue: EXAMPLES_TASK_QUEUE };
      running = await Worker.create({ ...options, workflowBundle, dataConverter });
      const ran = running.run();
      // Asked to stop while it was being made.
      if (stopping) running.shutdown();
      await ran;
    } finally {
      running = null;
      await connection.close();
    }
  };
  const runUntilStopped = async (): Promise<void> => {
    while (!stopping) {
      try {
        await runOnce();
        return;
      } catch (error) {
        report(`The worker lost Temporal and tries again: ${String(error)}`);
        await sleep(RETRY_MS);
      }
    }
  };
  const ended = runUntilStopped();
  return {
    ended,
    stop: async () => {
      stopping = true;
      running?.shutdown();
      await ended;
    },
  };
}

const RETRY_MS = 1_000;
