import { MigrationError } from '../prisma/migrate';
import { LaunchError } from './launch-error';

/** Runs a script's main part; what a person can put right ends it with one line and exit code 1. */
export function runScript(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const known = error instanceof LaunchError || error instanceof MigrationError;
    console.error(known ? error.message : error);
    process.exitCode = 1;
  });
}
