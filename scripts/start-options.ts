import { parseArgs } from 'node:util';
import type { DevStack } from './dev-stack';
import { LaunchError, lineOf } from './launch-error';
import type { PortChoice } from './services/port';

/** What `npm start` was asked for. */
export interface StartOptions {
  readonly ports: Readonly<Record<PortName, PortChoice>>;
  readonly sample: boolean;
  readonly retryMigration: boolean;
  readonly help: boolean;
}

/** The things that listen on a port. */
export type PortName = 'api' | 'worker' | 'temporal' | 'ui' | 'postgres';

const portNames = {
  api: { what: 'the API', flag: 'api-port', variable: 'COUNTERSIGN_HTTP_PORT' },
  worker: {
    what: "the worker's health check",
    flag: 'worker-port',
    variable: 'COUNTERSIGN_WORKER_HEALTH_PORT',
  },
  temporal: { what: 'Temporal', flag: 'temporal-port', variable: 'COUNTERSIGN_TEMPORAL_PORT' },
  ui: { what: 'the Temporal UI', flag: 'ui-port', variable: 'COUNTERSIGN_TEMPORAL_UI_PORT' },
  postgres: { what: 'PostgreSQL', flag: 'postgres-port', variable: 'COUNTERSIGN_POSTGRES_PORT' },
} as const satisfies Record<PortName, Omit<PortChoice, 'port'>>;

/** Text of `npm start -- --help`. */
export const usage = `npm start [-- options]

Starts PostgreSQL, Temporal, worker, API and a sample approval; Ctrl-C stops them.

  --api-port N        port of the API                  (COUNTERSIGN_HTTP_PORT)
  --worker-port N     port of the worker's health check (COUNTERSIGN_WORKER_HEALTH_PORT)
  --temporal-port N   port of Temporal                 (COUNTERSIGN_TEMPORAL_PORT)
  --ui-port N         port of the Temporal UI          (COUNTERSIGN_TEMPORAL_UI_PORT)
  --postgres-port N   port of PostgreSQL               (COUNTERSIGN_POSTGRES_PORT)
  --no-sample         start no sample approval
  --retry-migration   try a migration again that failed, once its mistake is corrected
  --help              show this

DATABASE_URL and TEMPORAL_ADDRESS name servers of your own instead. COUNTERSIGN_STATE names another
folder for data, keys and logs (default .countersign), COUNTERSIGN_CACHE one for downloads.
Default ports are in temporal-dev.yml.`;

/** @throws {LaunchError} in one line for an unknown flag or something that is not a port */
export function readStartOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  stack: DevStack,
): StartOptions {
  const { values } = parse(args);
  const defaults: Record<PortName, number> = {
    api: stack.http.port,
    worker: stack.worker.healthPort,
    temporal: stack.temporal.port,
    ui: stack.temporal.uiPort,
    postgres: stack.postgres.port,
  };
  const choose = (name: PortName): PortChoice => {
    const { flag, variable, what } = portNames[name];
    const given = values[flag] ?? environment[variable];
    return { what, flag, variable, port: toPort(given, flag) ?? defaults[name] };
  };
  const ports = {
    api: choose('api'),
    worker: choose('worker'),
    temporal: choose('temporal'),
    ui: choose('ui'),
    postgres: choose('postgres'),
  };
  return {
    ports,
    sample: values['no-sample'] !== true,
    retryMigration: values['retry-migration'] === true,
    help: values.help === true,
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseFlags> {
  try {
    return parseFlags(args);
  } catch (error) {
    throw new LaunchError(`${lineOf(error)}; "npm start -- --help" lists the options.`, {
      cause: error,
    });
  }
}

const parseFlags = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      'api-port': { type: 'string' },
      'worker-port': { type: 'string' },
      'temporal-port': { type: 'string' },
      'ui-port': { type: 'string' },
      'postgres-port': { type: 'string' },
      'no-sample': { type: 'boolean' },
      'retry-migration': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });

function toPort(text: string | undefined, flag: string): number | null {
  if (text === undefined || text === '') return null;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new LaunchError(`--${flag} must be a port from 1 to 65535, not "${text}".`);
}
