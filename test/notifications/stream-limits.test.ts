import type { Person } from '../../domain/user-tasks/actor';
import { tokenFor } from '../api/start-api';
import { clerk, colleague, MANAGER_GRANTS, person } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { within } from '../harness/within';
import {
  createIssuer,
  openStream,
  startProcess,
  type ApiProcess,
  type Issuer,
  type StreamClient,
} from './api-process';
import { tell } from './telling-tasks';

describe('the live stream has its limits', () => {
  let test: TestDatabase;
  let issuer: Issuer;
  let one: ApiProcess;
  const open: StreamClient[] = [];

  beforeAll(async () => {
    [test, issuer] = await Promise.all([createTestDatabase(), createIssuer()]);
    one = await startProcess(test.url, issuer);
  });
  afterAll(async () => {
    await one.close();
    await Promise.all([test.drop(), issuer.remove()]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((stream) => stream.close()));
  });

  const listen = async (by: Person, { at = one } = {}): Promise<StreamClient> => {
    const stream = await openStream(at, await tokenFor(issuer, by));
    open.push(stream);
    return stream;
  };

  it('ends with the token (UT-411)', async () => {
    const token = await issuer.token({
      subject: 'clerk',
      tenantId: 'acme',
      provider: 'directory',
      groups: ['clerks'],
      grants: ['user-tasks:view'],
      lifetimeSeconds: 3,
    });
    const stream = await openStream(one, token);
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'expired' } });
    await tell(test.db);
    expect(
      (
        await fetch(`${one.url}/user-tasks/stream`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status,
    ).toBe(401);
  });

  it('needs the permission to view (UT-246, UT-411)', async () => {
    const stream = await listen(person('claims only', { grants: ['user-tasks:claim'] }));
    expect(stream.status).toBe(403);
  });

  it('gives one person a limited number of streams, and back what was closed', async () => {
    const few = await startProcess(test.url, issuer, { connectionsPerCaller: 2 });
    try {
      const streams = [await listen(clerk, { at: few }), await listen(clerk, { at: few })];
      const refused = await listen(clerk, { at: few });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
      expect((await listen(colleague, { at: few })).status).toBe(200);
      await streams[0]!.close();
      await within(10_000, async () => (await listen(clerk, { at: few })).status === 200);
    } finally {
      await few.close();
    }
  });

  it('ends when the process stops', async () => {
    const short = await startProcess(test.url, issuer);
    const stream = await openStream(short, await tokenFor(issuer, clerk));
    await short.close();
    await stream.ended;
    expect(stream.events).toEqual([{ event: 'end', id: null, data: { reason: 'closing' } }]);
  });

  it('can be switched off, and the capabilities say so (UT-224, UT-273)', async () => {
    const off = await startProcess(
      test.url,
      issuer,
      {},
      { stream: null, pollingIntervalSeconds: 7 },
    );
    try {
      const capabilities = async (at: ApiProcess): Promise<unknown> =>
        (
          await at.request(
            'GET',
            '/user-tasks/capabilities',
            person('x', { grants: MANAGER_GRANTS }),
          )
        ).json();
      expect(await capabilities(off)).toMatchObject({ realtime: false, pollingIntervalSeconds: 7 });
      expect(await capabilities(one)).toMatchObject({ realtime: true, pollingIntervalSeconds: 30 });
      expect((await listen(clerk, { at: off })).status).toBe(404);
    } finally {
      await off.close();
    }
  });
});
