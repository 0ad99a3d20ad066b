import { LaunchError } from '../../scripts/launch-error';
import { environmentVariable } from './test-environment';
import { startTestServices, type TestServices } from './test-services';

/** Where the teardown, which jest loads on its own, finds what the setup started. */
export interface SharedWithTeardown {
  countersignTestServices?: TestServices;
}

/** Starts the services once for all test files. */
module.exports = async function globalSetup(): Promise<void> {
  const services = await startTestServices((line) => process.stderr.write(`${line}\n`)).catch(
    (error: unknown) => {
      if (!(error instanceof LaunchError)) throw error;
      // One line and no stack: there is nothing to look up in the code.
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
  process.env[environmentVariable] = JSON.stringify(services.environment);
  (globalThis as SharedWithTeardown).countersignTestServices = services;
};
