import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ClientOptions } from '@temporalio/client';
import { readDevStack } from '../../scripts/dev-stack';
import { addSearchAttributes } from '../../scripts/services/temporal-namespace';
import { trackResource } from './open-resources';
import { testEnvironment } from './test-environment';
import { within } from './within';

/** A task queue of one's own: workers of other files never take its tasks. */
export function uniqueTaskQueue(prefix = 'test'): string {
  return `${prefix}-${randomUUID()}`;
}

/** A Temporal environment of the SDK; `teardown()` closes it. */
export interface TemporalEnvironment {
  readonly environment: TestWorkflowEnvironment;
  teardown(): Promise<void>;
}

/** Milliseconds within which the time-skipping server must be up; for the hook that starts it. */
export const START_TIMEOUT_MS = 90_000;

type ClientSettings = Pick<ClientOptions, 'dataConverter' | 'interceptors'>;

/** Connects to the development server that all test files share. */
export async function createTemporalEnvironment(
  client: ClientSettings = {},
): Promise<TemporalEnvironment> {
  const { address, namespace } = testEnvironment();
  const environment = await TestWorkflowEnvironment.createFromExistingServer({
    address,
    namespace,
    client,
  });
  return tracked(environment, 'Temporal connection');
}

/** Starts a server of one's own in which timers of months pass in milliseconds. */
export async function createTimeSkippingEnvironment(
  client: ClientSettings = {},
): Promise<TemporalEnvironment> {
  const path = testEnvironment().timeSkippingServer;
  const start = (): Promise<TestWorkflowEnvironment> =>
    TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
      client,
    });
  // On a busy machine Java takes longer to start than the five seconds that the SDK is ready to wait.
  const environment = await within(START_TIMEOUT_MS, start);
  const { searchAttributes } = readDevStack().temporal;
  // The server cannot list what it has, but it starts with none.
  await addSearchAttributes(environment.connection, 'default', searchAttributes);
  return tracked(environment, 'time-skipping server');
}

function tracked(environment: TestWorkflowEnvironment, name: string): TemporalEnvironment {
  const closed = trackResource(name);
  return {
    environment,
    teardown: async () => {
      await environment.teardown();
      closed();
    },
  };
}
