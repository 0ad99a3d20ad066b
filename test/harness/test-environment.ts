import { z } from 'zod';

/** Name of the variable in which the global setup tells the test files where the services are. */
export const environmentVariable = 'COUNTERSIGN_TEST_ENVIRONMENT';

const environmentSchema = z.object({
  /** Temporal's front end, `host:port`. */
  address: z.string(),
  namespace: z.string(),
  /** Port of the Temporal UI; null when somebody else runs the server. */
  uiPort: z.number().nullable(),
  /** Connection string of a database from which others may be made and dropped. */
  databaseAdminUrl: z.string(),
  /** Name of the migrated database that test files clone. */
  databaseTemplate: z.string(),
  /** Path of the time-skipping test server. */
  timeSkippingServer: z.string(),
});

/** Where the services of this test run are. */
export type TestEnvironment = z.infer<typeof environmentSchema>;

/** Where the services of this test run are, as the global setup left it. */
export function testEnvironment(): TestEnvironment {
  const text = process.env[environmentVariable];
  if (text === undefined) throw new Error('No test services; run the tests with "npm test".');
  return environmentSchema.parse(JSON.parse(text));
}

/** Whether this run is to write the histories anew that others replay: `RECORD_HISTORIES=1 npm test -- replay`. */
export function recordHistories(): boolean {
  return process.env['RECORD_HISTORIES'] === '1';
}
