import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ClientOptions } from '@temporalio/client';
import { trackResource } from './open-resources';
import { testEnvironment } from './test-environment';

/** A task queue of one's own: workers of other files never take its tasks. */
export function uniqueTaskQueue(prefix = 'test'): string {
  return `${prefix}-${randomUUID()}`;
}

/** A Temporal environment of the SDK; `teardown()` closes it. */
export interface TemporalEnvironment {
  readonly environment: TestWorkflowEnvironment;
  teardown(): Promise<void>;
}

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
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
    client,
  });
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
