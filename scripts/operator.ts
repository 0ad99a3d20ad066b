import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createSnapshotReader } from '../activities/user-tasks/read-snapshot';
import type { SnapshotReader } from '../activities/user-tasks/rebuild';
import { readConfig, type Config } from '../platform/config';
import { createDataConverter } from '../platform/data-converter';
import { loadKeyRing } from '../platform/key-ring';
import { createTemporalClient } from '../platform/temporal';
import { createDatabase } from '../prisma/db';
import type { PrismaClient } from '../prisma/generated/client';
import { LaunchError, lineOf } from './launch-error';
import { runScript } from './run-script';
import { defaultStateRoot } from './services/state-folder';
import { setting } from './setting';
import { readStackFile } from './stack-file';

/** What a command for operators works with. */
export interface Operator {
  readonly config: Config;
  readonly database: PrismaClient;
  readonly client: Client;
  readonly readSnapshot: SnapshotReader;
  /** The command's own arguments. */
  readonly args: readonly string[];
  readonly report: (line: string) => void;
}

/**
 * Runs a command for operators on the installation that the environment names, or else on the stack that `npm start`
 * runs from this folder. Whatever goes wrong is told in one line, and the command then exits with 1.
 */
export function runOperator(main: (operator: Operator) => Promise<void>): void {
  runScript(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const config = operatorConfig();
    const database = createDatabase(config.DATABASE_URL, {
      poolSize: 10,
      applicationName: 'countersign-operator',
    });
    const client = createTemporalClient(
      createDataConverter(loadKeyRing(config.COUNTERSIGN_KEY_FILE)),
    );
    try {
      const readSnapshot = createSnapshotReader(client);
      await main({
        config,
        database,
        client,
        readSnapshot,
        args: process.argv.slice(2),
        report: (line) => console.log(line),
      });
    } catch (error) {
      throw error instanceof LaunchError ? error : new LaunchError(lineOf(error), { cause: error });
    } finally {
      await database.$disconnect();
      await client.connection.close();
    }
  });
}

/** Settings of the environment; a stack that runs here fills in all of them or none. */
function operatorConfig(): Config {
  if (setting('DATABASE_URL') === undefined) {
    const stack = readStackFile(defaultStateRoot());
    if (stack['DATABASE_URL'] === undefined) {
      throw new LaunchError(
        'No installation to work on: set DATABASE_URL and the other settings, or run "npm start" first.',
      );
    }
    // Temporal's own settings are read from there by its SDK.
    for (const [name, value] of Object.entries(stack))
      if (setting(name) === undefined) process.env[name] = value;
  }
  try {
    return readConfig(process.env);
  } catch (error) {
    throw new LaunchError(lineOf(error), { cause: error });
  }
}
