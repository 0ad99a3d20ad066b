import { join, resolve } from 'node:path';

/** Where an example finds the running stack. */
export interface ExampleSettings {
  /** Base address of the API, without a slash at the end. */
  readonly apiUrl: string;
  /** Key ring of the payloads: the same that the stack uses. */
  readonly keyFile: string;
  /** Key of the development issuer, whose tokens the API accepts. */
  readonly devIssuerKeyFile: string;
}

/** Task queue of the example workflows; the user tasks that they raise run on Countersign's. */
export const EXAMPLES_TASK_QUEUE = 'countersign-examples';

/**
 * Settings as the environment has them, else those of a stack that `npm start` runs from this folder. Temporal's own
 * are read by the SDK (`TEMPORAL_ADDRESS`, …).
 */
export function readExampleSettings(environment: NodeJS.ProcessEnv): ExampleSettings {
  const keys = join(resolve(environment['COUNTERSIGN_STATE'] ?? '.countersign'), 'keys');
  const host = environment['COUNTERSIGN_HTTP_HOST'] ?? '127.0.0.1';
  const port = environment['COUNTERSIGN_HTTP_PORT'] ?? '3000';
  return {
    apiUrl: (environment['COUNTERSIGN_URL'] ?? `http://${host}:${port}`).replace(/\/+$/, ''),
    keyFile: environment['COUNTERSIGN_KEY_FILE'] ?? join(keys, 'payload-keys.json'),
    devIssuerKeyFile:
      environment['COUNTERSIGN_DEV_ISSUER_KEY_FILE'] ?? join(keys, 'dev-issuer.json'),
  };
}
