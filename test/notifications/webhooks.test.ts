import { randomUUID } from 'node:crypto';
import { startDispatcher } from '../../activities/notifications/dispatcher';
import { planDeliveries } from '../../activities/notifications/plan-deliveries';
import {
  serveLane,
  takeLanes,
  type LaneDependencies,
} from '../../activities/notifications/serve-lane';
import type { PublishedNotification } from '../../domain/notifications/published-notification';
import type { Person } from '../../domain/user-tasks/actor';
import { createLogger } from '../../platform/logger';
import { createWakeListener } from '../../platform/wake-listener';
import {
  newWebhookSecret,
  rotated,
  sealSecrets,
  type WebhookSecrets,
} from '../../platform/webhook-secrets';
import { testSecretBox } from '../api/start-api';
import { clerk, CLERKS, manager, OTHER_TENANT, outsider, person, user } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { startReceiver, verifies, type Receiver } from './receiver';
import { notificationsOfTask, tell } from './telling-tasks';

const CANARY = 'canary-90be';
const MINUTE = 60_000;

describe('webhooks', () => {
  let test: TestDatabase;
  let receiver: Receiver;
  let clock: number;
  let deps: LaneDependencies;

  beforeEach(async () => {
    [test, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    clock = Date.now();
    deps = {
      database: test.db,
      box: testSecretBox(),
      sink: null,
      strict: false,
      timeoutMs: 300,
      log: createLogger('test', 'silent'),
      now: () => new Date(clock),
      retryDelaysMs: [MINUTE, 10 * MINUTE],
      pauseMs: 5_000,
    };
  });
  afterEach(async () => {
    await Promise.all([test.drop(), receiver.close()]);
  });

  interface Registered {
    readonly id: string;
    readonly secrets: WebhookSecrets;
  }

  const register = async (
    options: {
      readonly url?: string;
      readonly tenantId?: string;
      readonly types?: readonly string[];
      readonly subject?: Person;
      readonly secrets?: WebhookSecrets;
    } = {},
  ): Promise<Registered> => {
    const { url = receiver.url, tenantId = 'acme', types = [], subject } = options;
    const id = `whk_${randomUUID()}`;
    const secrets = options.secrets ?? { current: newWebhookSecret(), previous: null };
    await test.db.webhookEndpoint.create({
      data: {
        tenantId,
        id,
        url,
        secret: sealSecrets(deps.box, { tenantId, endpointId: id }, secrets),
        types: [...types],
        ...(subject === undefined
          ? {}
          : { subject: JSON.parse(JSON.stringify(subject)) as object }),
      },
    });
    return { id, secrets };
  };

  /** Plans and sends everything that is due now. */
  const dispatch = async (): Promise<void> => {
    while ((await planDeliveries(test.db, deps.sink !== null, deps.now())) > 0);
    const lanes = await takeLanes(deps, 10);
    await Promise.all(lanes.map((lane) => serveLane(deps, lane, () => false)));
    if (lanes.length > 0) await dispatch();
  };

  const deliveries = (endpointId: string) =>
    test.db.webhookDelivery.findMany({ where: { endpointId }, orderBy: { notificationId: 'asc' } });

  it('tell what happened by the Standard Webhooks rules, in order, each once (UT-268, UT-270, UT-272)', async () => {
    const { secrets } = await register();
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await task.step((now) => now.completed({ operationId: 'OP1' }));
    await dispatch();
    await dispatch();
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
    await dispatch();
    clock += 25 * 60 * MINUTE;
    await tell(test.db);
    await dispatch();
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
      await dispatch();
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
    await dispatch();
    const told = async (name: string) => (await deliveries(endpoints[name]!.id)).length;
    expect(await Promise.all(Object.keys(eyes).map(told))).toEqual([1, 0, 0, 1, 0]);
  });

  it('are tried again ever more seldom, then given up (UT-272)', async () => {
    const { id } = await register();
    receiver.answer = 503;
    await tell(test.db);
    await dispatch();
    const state = async () => {
      const [delivery] = await deliveries(id);
      return [delivery?.status, delivery?.attempts, delivery?.lastErrorCode];
    };
    expect(await state()).toEqual(['Pending', 1, 'http-503']);
    clock += MINUTE - 1;
    await dispatch();
    expect(receiver.received).toHaveLength(1);
    clock += 1;
    await dispatch();
    expect(await state()).toEqual(['Pending', 2, 'http-503']);
    clock += 10 * MINUTE;
    await dispatch();
    expect(await state()).toEqual(['Dead', 3, 'http-503']);
    clock += 1_000 * MINUTE;
    await dispatch();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('name what went wrong, and follow no redirect', async () => {
    const { id } = await register();
    const elsewhere = await startReceiver();
    const code = async () => {
      await tell(test.db);
      clock += MINUTE;
      await dispatch();
      const codes = (await deliveries(id)).map(({ lastErrorCode }) => lastErrorCode);
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
    deps = { ...deps, strict: true };
    await tell(test.db);
    await dispatch();
    expect((await deliveries(id)).map(({ lastErrorCode }) => lastErrorCode)).toEqual([
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
      await dispatch();
      expect(fine.received).toHaveLength(2);
      expect(receiver.received).toHaveLength(1);
      receiver.answer = 204;
      clock += MINUTE;
      await dispatch();
      expect(receiver.received.map(({ body }) => body.data['revision'])).toEqual([1, 1, 2]);
    } finally {
      await fine.close();
    }
  });

  it('let later messages go ahead of one that waits for its next attempt', async () => {
    await register();
    receiver.answer = 500;
    const task = await tell(test.db);
    await dispatch();
    receiver.answer = 200;
    await task.step((now) => now.claimedBy(clerk));
    clock += 6_000;
    await dispatch();
    expect(receiver.received.map(({ body }) => body.data['revision'])).toEqual([1, 2]);
  });

  it('are switched off when their receiver says that it is gone', async () => {
    const { id } = await register();
    receiver.answer = 410;
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await dispatch();
    expect(receiver.received).toHaveLength(1);
    const endpoint = await test.db.webhookEndpoint.findFirstOrThrow({ where: { id } });
    expect(endpoint.enabled).toBe(false);
    const codes = (await deliveries(id)).map(({ status, lastErrorCode }) => [
      status,
      lastErrorCode,
    ]);
    expect(codes.sort()).toEqual([
      ['Dead', 'endpoint-disabled'],
      ['Dead', 'http-410'],
    ]);
  });

  it('are served by one process at a time, and by another once that has died (UT-272)', async () => {
    await register();
    await tell(test.db);
    await planDeliveries(test.db, false, deps.now());
    const [mine, theirs] = [await takeLanes(deps, 10), await takeLanes(deps, 10)];
    expect([mine.length, theirs.length]).toEqual([1, 0]);
    clock += MINUTE + 1;
    const inherited = await takeLanes(deps, 10);
    expect(inherited).toHaveLength(1);
    // The first comes back to life and finds that the lane is no longer its own.
    await serveLane(deps, mine[0]!, () => false);
    expect(receiver.received).toHaveLength(0);
    await serveLane(deps, inherited[0]!, () => false);
    expect(receiver.received).toHaveLength(1);
  });

  it('say nothing protected, and keep their secrets unreadable (UT-157, UT-269)', async () => {
    const { secrets } = await register();
    const task = await tell(test.db, {
      title: CANARY,
      instructions: CANARY,
      taskData: { secret: CANARY },
    });
    await task.step((now) => now.assignedTo(clerk.subject, { reason: CANARY }));
    await dispatch();
    expect(receiver.received).toHaveLength(2);
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY);
    const [endpoint] = await test.db.webhookEndpoint.findMany();
    expect(endpoint?.secret).not.toContain(secrets.current.slice('whsec_'.length));
  });

  it('and a host’s sink are served by several processes at once, each notification once (UT-059, UT-272)', async () => {
    await register();
    const told: PublishedNotification[] = [];
    let failing = true;
    const sink = (notification: PublishedNotification): Promise<void> => {
      if (failing) return Promise.reject(new Error('not yet'));
      told.push(notification);
      return Promise.resolve();
    };
    const log = createLogger('test', 'silent');
    const wakes = createWakeListener({ databaseUrl: test.url, log });
    const real = {
      ...deps,
      sink,
      wakes,
      log,
      now: () => new Date(),
      retryDelaysMs: [10],
      pauseMs: 10,
      pollMs: 50,
    };
    const dispatchers = [startDispatcher(real), startDispatcher(real)];
    try {
      const tasks = await Promise.all(Array.from({ length: 5 }, () => tell(test.db)));
      for (const task of tasks) await task.step((now) => now.claimedBy(clerk));
      await receiver.messages(10);
      failing = false;
      const deadline = Date.now() + 15_000;
      while (told.length < 10 && Date.now() < deadline)
        await new Promise((done) => setTimeout(done, 20));
    } finally {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
      await wakes.close();
    }
    const stored = await test.db.userTaskNotification.findMany({ orderBy: { position: 'asc' } });
    const ids = stored.map(({ id }) => id);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
    expect(told.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(Object.keys(told[0]!).sort()).toEqual(
      ['id', 'occurredAt', 'revision', 'status', 'taskId', 'tenantId', 'type'].sort(),
    );
  });
});
