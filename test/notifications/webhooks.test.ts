import { newWebhookSecret, rotated } from '../../platform/webhook-secrets';
import { clerk, CLERKS, manager, OTHER_TENANT, outsider, person, user } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { Dispatching, MINUTE_MS } from './dispatching';
import { startReceiver, verifies, type Receiver } from './receiver';
import { notificationsOfTask, tell } from './telling-tasks';

const CANARY = 'canary-90be';

describe('webhooks', () => {
  let test: TestDatabase;
  let receiver: Receiver;
  let worker: Dispatching;

  beforeEach(async () => {
    [test, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    worker = new Dispatching(test.db);
  });
  afterEach(async () => {
    await Promise.all([test.drop(), receiver.close()]);
  });

  const register = (options: Partial<Parameters<Dispatching['register']>[0]> = {}) =>
    worker.register({ url: receiver.url, ...options });

  it('tell what happened by the Standard Webhooks rules, in order, each once (UT-268, UT-270, UT-272)', async () => {
    const { secrets } = await register();
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await task.step((now) => now.completed({ operationId: 'OP1' }));
    await worker.dispatch();
    await worker.dispatch();
    const common = { tenantId: 'acme', taskId: task.id };
    expect(receiver.received.map(({ body: { type, data } }) => ({ type, data }))).toEqual([
      { type: 'UserTaskCreated', data: { ...common, status: 'Available', revision: 1 } },
      {
        type: 'UserTaskChanged',
        data: { ...common, status: 'Assigned', revision: 2, changedFields: ['claim'] },
      },
      {
        type: 'UserTaskCompletionAccepted',
        data: { ...common, status: 'Completing', revision: 3, operationId: 'OP1' },
      },
      {
        type: 'UserTaskChanged',
        data: {
          ...common,
          status: 'Completing',
          revision: 3,
          changedFields: ['completionRequested'],
        },
      },
      { type: 'UserTaskCompleted', data: { ...common, status: 'Completed', revision: 4 } },
    ]);
    const stored = await notificationsOfTask(test.db, task.id);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      stored.map(({ id }) => id),
    );
    expect(receiver.received.map(({ body }) => body.timestamp)).toEqual(
      stored.map(({ occurredAt }) => occurredAt.toISOString()),
    );
    for (const message of receiver.received) {
      expect(verifies(message, secrets.current)).toBe(true);
      expect(verifies(message, newWebhookSecret())).toBe(false);
      expect(message.headers).toMatchObject({ 'content-type': 'application/json' });
    }
  });

  it('are signed with the old secret too for a day after a change', async () => {
    const old = { current: newWebhookSecret(), previous: null };
    const { secrets } = await register({ secrets: rotated(old, newWebhookSecret(), new Date()) });
    await tell(test.db);
    await worker.dispatch();
    worker.pass(25 * 60 * MINUTE_MS);
    await tell(test.db);
    await worker.dispatch();
    const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']);
    expect(signatures.map((text) => String(text).split(' ').length)).toEqual([2, 1]);
    expect(verifies(receiver.received[0]!, secrets.current)).toBe(true);
    expect(verifies(receiver.received[0]!, old.current)).toBe(true);
  });

  it('tell their own tenant alone, and the types that were asked for (UT-206, UT-268)', async () => {
    await register({ types: ['UserTaskCompleted'] });
    const theirs = await startReceiver();
    try {
      await register({ tenantId: OTHER_TENANT, url: theirs.url });
      const task = await tell(test.db);
      await task.step((now) => now.claimedBy(clerk));
      await task.step((now) => now.completed());
      await worker.dispatch();
      expect(receiver.received.map(({ body }) => body.type)).toEqual(['UserTaskCompleted']);
      expect(theirs.received).toEqual([]);
    } finally {
      await theirs.close();
    }
  });

  it('tell a bound endpoint what its participant may see (UT-210, UT-273)', async () => {
    const eyes = {
      clerk: person('x', { groups: [CLERKS] }),
      excluded: person('excluded', { groups: [CLERKS] }),
      outsider,
      manager,
      blind: person('y', { groups: [CLERKS], grants: ['user-tasks:claim'] }),
    };
    const endpoints = Object.fromEntries(
      await Promise.all(
        Object.entries(eyes).map(
          async ([name, subject]) => [name, await register({ subject })] as const,
        ),
      ),
    );
    await tell(test.db, { excludedUsers: [user('excluded')] });
    await worker.dispatch();
    const told = async (name: string) => (await worker.deliveries(endpoints[name]!.id)).length;
    expect(await Promise.all(Object.keys(eyes).map(told))).toEqual([1, 0, 0, 1, 0]);
  });

  it('are tried again ever more seldom, then given up (UT-272)', async () => {
    const { id } = await register();
    receiver.answer = 503;
    await tell(test.db);
    await worker.dispatch();
    const state = async () => {
      const [delivery] = await worker.deliveries(id);
      return [delivery?.status, delivery?.attempts, delivery?.lastErrorCode];
    };
    expect(await state()).toEqual(['Pending', 1, 'http-503']);
    worker.pass(MINUTE_MS - 1);
    await worker.dispatch();
    expect(receiver.received).toHaveLength(1);
    worker.pass(1);
    await worker.dispatch();
    expect(await state()).toEqual(['Pending', 2, 'http-503']);
    worker.pass(10 * MINUTE_MS);
    await worker.dispatch();
    expect(await state()).toEqual(['Dead', 3, 'http-503']);
    worker.pass(1_000 * MINUTE_MS);
    await worker.dispatch();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('name what went wrong, and follow no redirect', async () => {
    const { id } = await register();
    const elsewhere = await startReceiver();
    const code = async () => {
      await tell(test.db);
      worker.pass(MINUTE_MS);
      await worker.dispatch();
      const codes = (await worker.deliveries(id)).map(({ lastErrorCode }) => lastErrorCode);
      await test.db.webhookDelivery.deleteMany({});
      return codes;
    };
    try {
      receiver.answer = { redirect: elsewhere.url };
      expect(await code()).toEqual(['http-302']);
      expect(elsewhere.received).toEqual([]);
      receiver.answer = 'silence';
      expect(await code()).toEqual(['timeout']);
      await test.db.webhookEndpoint.updateMany({ data: { url: 'http://127.0.0.1:1/' } });
      expect(await code()).toEqual(['connection-failed']);
      await test.db.webhookEndpoint.updateMany({ data: { secret: 'not sealed' } });
      expect(await code()).toEqual(['secret-unreadable']);
    } finally {
      await elsewhere.close();
    }
  });

  it('are not sent to closed addresses in production', async () => {
    const { id } = await register({ url: receiver.url.replace('http:', 'https:') });
    worker.deps = { ...worker.deps, strict: true };
    await tell(test.db);
    await worker.dispatch();
    expect((await worker.deliveries(id)).map(({ lastErrorCode }) => lastErrorCode)).toEqual([
      'address-refused',
    ]);
    expect(receiver.received).toEqual([]);
  });

  it('keep their order over a failure, and one that is broken holds up nobody else', async () => {
    const fine = await startReceiver();
    try {
      await register();
      await register({ url: fine.url });
      receiver.answer = 'silence';
      const task = await tell(test.db);
      await task.step((now) => now.claimedBy(clerk));
      await worker.dispatch();
      expect(fine.received).toHaveLength(2);
      expect(receiver.received).toHaveLength(1);
      receiver.answer = 204;
      worker.pass(MINUTE_MS);
      await worker.dispatch();
      expect(receiver.received.map(({ body }) => body.data['revision'])).toEqual([1, 1, 2]);
    } finally {
      await fine.close();
    }
  });

  it('let later messages go ahead of one that waits for its next attempt', async () => {
    await register();
    receiver.answer = 500;
    const task = await tell(test.db);
    await worker.dispatch();
    receiver.answer = 200;
    await task.step((now) => now.claimedBy(clerk));
    worker.pass(6_000);
    await worker.dispatch();
    expect(receiver.received.map(({ body }) => body.data['revision'])).toEqual([1, 2]);
  });

  it('are switched off when their receiver says that it is gone', async () => {
    const { id } = await register();
    receiver.answer = 410;
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await worker.dispatch();
    expect(receiver.received).toHaveLength(1);
    const endpoint = await test.db.webhookEndpoint.findFirstOrThrow({ where: { id } });
    expect(endpoint.enabled).toBe(false);
    const codes = (await worker.deliveries(id)).map(({ status, lastErrorCode }) => [
      status,
      lastErrorCode,
    ]);
    expect(codes.sort()).toEqual([
      ['Dead', 'endpoint-disabled'],
      ['Dead', 'http-410'],
    ]);
  });

  it('say nothing protected, and keep their secrets unreadable (UT-157, UT-269)', async () => {
    const { secrets } = await register();
    const task = await tell(test.db, {
      title: CANARY,
      instructions: CANARY,
      taskData: { secret: CANARY },
    });
    await task.step((now) => now.assignedTo(clerk.subject, { reason: CANARY }));
    await worker.dispatch();
    expect(receiver.received).toHaveLength(2);
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY);
    const [endpoint] = await test.db.webhookEndpoint.findMany();
    expect(endpoint?.secret).not.toContain(secrets.current.slice('whsec_'.length));
  });
});
