import { MAXIMUM_PAYLOAD_BYTES } from '../../domain/user-tasks/limits';
import { configSchema, readConfig } from '../../platform/config';

const REQUIRED = { DATABASE_URL: 'postgresql://localhost/acme', COUNTERSIGN_KEY_FILE: 'keys.json' };

describe('the settings', () => {
  it('have the defaults of the catalogue (UT-292, UT-023, UT-053)', () => {
    expect(readConfig(REQUIRED)).toMatchObject({
      COUNTERSIGN_DEFAULT_TENANT: '',
      COUNTERSIGN_DEFAULT_PROVIDER: 'default',
      COUNTERSIGN_CLAIM_SUBJECT: 'sub',
      COUNTERSIGN_CLAIM_TENANT: 'tenant',
      COUNTERSIGN_CLAIM_PROVIDER: 'elsa:identity-provider',
      COUNTERSIGN_CLAIM_NAME: 'name',
      COUNTERSIGN_CLAIM_GROUPS: 'groups,group',
      COUNTERSIGN_CLAIM_PERMISSIONS: 'permissions,permission',
      COUNTERSIGN_REALTIME: true,
      COUNTERSIGN_POLLING_INTERVAL_SECONDS: 30,
      COUNTERSIGN_RECONCILE_MINUTES: 15,
      COUNTERSIGN_WORKER_TENANTS: [],
      COUNTERSIGN_COMMAND_DEADLINE_SECONDS: 60,
    });
    expect(MAXIMUM_PAYLOAD_BYTES).toBe(262_144);
  });

  it('keep closed tasks for ever unless a retention is given (UT-281)', () => {
    expect(readConfig(REQUIRED).COUNTERSIGN_RETENTION_DAYS).toBeUndefined();
    expect(
      readConfig({ ...REQUIRED, COUNTERSIGN_RETENTION_DAYS: '' }).COUNTERSIGN_RETENTION_DAYS,
    ).toBeUndefined();
    expect(
      readConfig({ ...REQUIRED, COUNTERSIGN_RETENTION_DAYS: '30' }).COUNTERSIGN_RETENTION_DAYS,
    ).toBe(30);
  });

  it.each<readonly [string, string, unknown]>([
    ['COUNTERSIGN_DEFAULT_TENANT', 'acme', 'acme'],
    ['COUNTERSIGN_DEFAULT_PROVIDER', 'acme-directory', 'acme-directory'],
    ['COUNTERSIGN_CLAIM_GROUPS', 'roles', 'roles'],
    ['COUNTERSIGN_REALTIME', 'false', false],
    ['COUNTERSIGN_POLLING_INTERVAL_SECONDS', '5', 5],
    ['COUNTERSIGN_RECONCILE_MINUTES', '1', 1],
    ['COUNTERSIGN_WORKER_TENANTS', 'acme,globex', ['acme', 'globex']],
    ['COUNTERSIGN_COMMAND_DEADLINE_SECONDS', '5', 5],
    ['COUNTERSIGN_WEBHOOK_RETRY_SECONDS', '15,60', [15, 60]],
    ['COUNTERSIGN_HTTP_PORT', '0', 0],
    ['COUNTERSIGN_DIRECTORY_FILE', '', undefined],
    ['COUNTERSIGN_BUILD_ID', 'v2', 'v2'],
  ])('read %s from the environment: %j (UT-292)', (name, given, value) => {
    expect(
      readConfig({ ...REQUIRED, [name]: given })[name as keyof typeof configSchema.shape],
    ).toEqual(value);
  });

  it.each([
    ['COUNTERSIGN_DEFAULT_TENANT', 't'.repeat(451)],
    ['COUNTERSIGN_DEFAULT_PROVIDER', ''],
    ['COUNTERSIGN_DEFAULT_PROVIDER', 'p'.repeat(201)],
    ['COUNTERSIGN_CLAIM_SUBJECT', ''],
    ['COUNTERSIGN_REALTIME', 'yes'],
    ['COUNTERSIGN_POLLING_INTERVAL_SECONDS', '0'],
    ['COUNTERSIGN_POLLING_INTERVAL_SECONDS', 'often'],
    ['COUNTERSIGN_RECONCILE_MINUTES', '-1'],
    ['COUNTERSIGN_COMMAND_DEADLINE_SECONDS', '0'],
    ['COUNTERSIGN_RETENTION_DAYS', '0'],
    ['COUNTERSIGN_WEBHOOK_RETRY_SECONDS', '15,never'],
    ['COUNTERSIGN_HTTP_PORT', '65536'],
    ['NODE_ENV', 'staging'],
  ])('refuse %s=%j by its name (UT-292, UT-288)', (name, value) => {
    expect(() => readConfig({ ...REQUIRED, [name]: value })).toThrow(name);
  });

  it('name all that is missing or wrong in one line, and never a value (UT-292, UT-047)', () => {
    const wrong = { DATABASE_URL: '', COUNTERSIGN_REALTIME: 'secret-value-1' };
    const read = (): unknown => readConfig(wrong);
    expect(read).toThrow(/DATABASE_URL.*COUNTERSIGN_KEY_FILE.*COUNTERSIGN_REALTIME/);
    expect(read).toThrow(/^(?!.*secret-value-1)[^\n]*$/);
  });

  it('ask for a database and keys alone: everything else has a default (UT-415)', () => {
    expect(() => readConfig({})).toThrow(/DATABASE_URL.*COUNTERSIGN_KEY_FILE/);
    expect(() => readConfig(REQUIRED)).not.toThrow();
    const url = 'postgresql://user:password@database.example:6432/tasks?sslmode=require';
    expect(readConfig({ ...REQUIRED, DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  it('say of each what it is for (UT-292)', () => {
    for (const [name, setting] of Object.entries(configSchema.shape)) {
      expect([name, setting.description]).toEqual([name, expect.stringMatching(/\.$/)]);
    }
  });
});
