import type { Person } from '../../domain/user-tasks/actor';
import { startApi, type ApiUnderTest } from '../api/start-api';
import { clerk, CLERKS, manager, OTHER_TENANT, person } from '../builders/people';
import { Dispatching } from './dispatching';
import { startReceiver, verifies, type Receiver } from './receiver';
import { tell } from './telling-tasks';

const HOOKS = '/user-task-webhooks';

describe('administration of webhooks', () => {
  let api: ApiUnderTest;
  let receiver: Receiver;
  let worker: Dispatching;
  beforeAll(async () => {
    [api, receiver] = await Promise.all([startApi(), startReceiver()]);
    // Given up at the first failure.
    worker = new Dispatching(api.database, {
      now: () => new Date(),
      retryDelaysMs: [],
      pauseMs: 0,
    });
  });
  afterAll(async () => {
    await Promise.all([api.close(), receiver.close()]);
  });
  beforeEach(async () => {
    await api.database.webhookEndpoint.deleteMany();
    receiver.answer = 204;
  });

  const stranger: Person = {
    ...manager,
    subject: { ...manager.subject, tenantId: OTHER_TENANT },
  };

  const register = async (json: object = {}): Promise<{ id: string; secret: string }> => {
    const { status, body } = await api.post(HOOKS, manager, { url: receiver.url, ...json });
    expect(status).toBe(201);
    return body as { id: string; secret: string };
  };

  const listed = async (path: string) =>
    (await api.get(path, manager)).body['items'] as Record<string, unknown>[];

  it('shows the secret once, with which messages then verify', async () => {
    const created = await api.post(HOOKS, manager, {
      url: receiver.url,
      types: ['UserTaskCreated'],
    });
    const { secret, ...shown } = created.body as { id: string; secret: string };
    expect(shown).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: receiver.url,
      types: ['UserTaskCreated'],
      participant: null,
      groups: null,
      enabled: true,
      createdAt: expect.any(String),
    });
    expect(created.headers.get('location')).toBe(`${HOOKS}/${shown.id}`);
    expect(created.headers.get('cache-control')).toContain('no-store');
    expect(await listed(HOOKS)).toEqual([shown]);
    expect((await api.get(`${HOOKS}/${shown.id}`, manager)).body).toEqual(shown);
    expect(api.logged()).not.toContain(secret.slice(6));
    await tell(api.database);
    await worker.dispatch();
    expect(verifies(receiver.received.at(-1)!, secret)).toBe(true);
    const rotated = await api.post(`${HOOKS}/${shown.id}/rotate-secret`, manager, {});
    expect(rotated.status).toBe(200);
    expect(rotated.body['secret']).not.toBe(secret);
    await tell(api.database);
    await worker.dispatch();
    expect(verifies(receiver.received.at(-1)!, String(rotated.body['secret']))).toBe(true);
    expect(verifies(receiver.received.at(-1)!, secret)).toBe(true);
  });

  it('is for managers of the tenant (UT-206, UT-212, UT-246)', async () => {
    const { id } = await register();
    const paths = [
      ['GET', HOOKS],
      ['POST', HOOKS],
      ['GET', `${HOOKS}/${id}`],
      ['PATCH', `${HOOKS}/${id}`],
      ['POST', `${HOOKS}/${id}/rotate-secret`],
      ['POST', `${HOOKS}/${id}/ping`],
      ['GET', `${HOOKS}/${id}/deliveries`],
      ['POST', `${HOOKS}/${id}/deliveries/ntf_${'0'.repeat(32)}/retry`],
      ['DELETE', `${HOOKS}/${id}`],
    ] as const;
    for (const [method, path] of paths) {
      const json = method === 'GET' ? {} : { json: { url: receiver.url } };
      expect((await api.send(method, path, null, json)).status).toBe(401);
      expect((await api.send(method, path, clerk, json)).status).toBe(403);
      if (path === HOOKS) continue;
      const absent = await api.send(
        method,
        path.replace(id, `whk_${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`),
        manager,
        json,
      );
      const hidden = await api.send(method, path, stranger, json);
      const { instance: _a, ...first } = absent.body;
      const { instance: _b, ...second } = hidden.body;
      expect([hidden.status, second]).toEqual([404, first]);
    }
    expect((await api.get(HOOKS, stranger)).body).toEqual({ items: [] });
    expect(await listed(HOOKS)).toHaveLength(1);
  });

  it('refuses what cannot be a webhook', async () => {
    const refused = async (json: object) => {
      const { status, body } = await api.post(HOOKS, manager, json);
      return [status, (body['errors'] as { pointer: string }[])[0]?.pointer];
    };
    expect(await refused({})).toEqual([422, '/url']);
    expect(await refused({ url: 'ftp://example.com' })).toEqual([422, '/url']);
    expect(await refused({ url: 'https://user:pass@example.com' })).toEqual([422, '/url']);
    expect(await refused({ url: receiver.url, types: ['Nonsense'] })).toEqual([422, '/types/0']);
    expect(await refused({ url: receiver.url, secret: 'mine' })).toEqual([422, '/secret']);
    const strict = await startApi({ strictWebhooks: true });
    try {
      for (const url of [
        'http://example.com',
        'https://127.0.0.1',
        'https://10.1.2.3',
        'https://localhost',
        'https://[::1]/',
      ]) {
        expect((await strict.post(HOOKS, manager, { url })).status).toBe(422);
      }
      expect((await strict.post(HOOKS, manager, { url: 'https://example.com/hook' })).status).toBe(
        201,
      );
    } finally {
      await strict.close();
    }
  });

  it('binds an endpoint to somebody, with groups and grants of the registration', async () => {
    const chief: Person = { ...manager, groups: [CLERKS] };
    const subjectOf = async (json: object, by: Person) => {
      const { body } = await api.post(HOOKS, by, { url: receiver.url, participant: json });
      const id = String(body['id']);
      const row = await api.database.webhookEndpoint.findFirstOrThrow({ where: { id } });
      return [body['participant'], body['groups'], row.subject] as const;
    };
    const [who, groups, stored] = await subjectOf({ id: 'clerk', groups: ['clerks'] }, manager);
    expect(who).toMatchObject({ kind: 'user', provider: 'directory', id: 'clerk' });
    expect(groups).toEqual(['clerks']);
    expect(stored).toMatchObject({ grants: ['user-tasks:view'], subject: { tenantId: 'acme' } });
    const [, own, mine] = await subjectOf({ id: 'manager' }, chief);
    expect(own).toEqual(['clerks']);
    expect(mine).toMatchObject({ grants: expect.arrayContaining(['user-tasks:supervise']) });
  });

  it('switches an endpoint off and on, and removes it', async () => {
    const { id } = await register();
    await tell(api.database);
    await worker.plan();
    const before = receiver.received.length;
    const off = await api.send('PATCH', `${HOOKS}/${id}`, manager, { json: { enabled: false } });
    expect(off.body['enabled']).toBe(false);
    await tell(api.database);
    await worker.dispatch();
    const dead = await listed(`${HOOKS}/${id}/deliveries`);
    expect(dead).toMatchObject([{ status: 'dead', lastErrorCode: 'endpoint-disabled' }]);
    expect(receiver.received).toHaveLength(before);
    const retry = `${HOOKS}/${id}/deliveries/${String(dead[0]!['notificationId'])}/retry`;
    expect((await api.post(retry, manager, {})).status).toBe(422);
    expect((await api.post(`${HOOKS}/${id}/ping`, manager, {})).status).toBe(422);
    await api.send('PATCH', `${HOOKS}/${id}`, manager, { json: { enabled: true } });
    expect((await api.post(retry, manager, {})).status).toBe(202);
    await worker.dispatch();
    expect(receiver.received).toHaveLength(before + 1);
    expect((await api.send('DELETE', `${HOOKS}/${id}`, manager)).status).toBe(204);
    expect((await api.get(`${HOOKS}/${id}`, manager)).status).toBe(404);
    expect(await api.database.webhookDelivery.count()).toBe(0);
  });

  it('sends a test message the way of every other, to this endpoint alone', async () => {
    const { id, secret } = await register();
    await register({ types: ['UserTaskCreated'] });
    const before = receiver.received.length;
    const { status, body } = await api.post(`${HOOKS}/${id}/ping`, manager, {});
    expect(status).toBe(202);
    await worker.dispatch();
    expect(receiver.received).toHaveLength(before + 1);
    const ping = receiver.received.at(-1)!;
    expect(ping.body).toMatchObject({ type: 'WebhookPing', data: { tenantId: 'acme' } });
    expect(ping.headers['webhook-id']).toBe(body['notificationId']);
    expect(verifies(ping, secret)).toBe(true);
    expect(await listed(`${HOOKS}/${id}/deliveries?status=delivered`)).toMatchObject([
      { type: 'WebhookPing', taskId: null, status: 'delivered', attempts: 1, nextAttemptAt: null },
    ]);
  });

  it('lists dead letters page by page, and delivers them again on demand (UT-272)', async () => {
    const { id } = await register();
    receiver.answer = 500;
    const tasks = [await tell(api.database), await tell(api.database), await tell(api.database)];
    for (const _task of tasks) await worker.dispatch();
    const path = `${HOOKS}/${id}/deliveries`;
    const first = await api.get(`${path}?status=dead&limit=2`, manager);
    const second = await api.get(
      `${path}?status=dead&limit=2&cursor=${String(first.body['nextCursor'])}`,
      manager,
    );
    const items = [first, second].flatMap(({ body }) => body['items'] as Record<string, unknown>[]);
    expect(items.map(({ taskId }) => taskId)).toEqual(
      tasks.map(({ id: taskId }) => taskId).reverse(),
    );
    expect(second.body['nextCursor']).toBeNull();
    expect(await listed(`${path}?status=delivered`)).toEqual([]);
    expect((await api.get(`${path}?status=lost`, manager)).status).toBe(422);
    receiver.answer = 204;
    const before = receiver.received.length;
    const oldest = String(items.at(-1)!['notificationId']);
    const retried = await api.post(`${path}/${oldest}/retry`, manager, {});
    expect([retried.status, retried.body['status'], retried.body['attempts']]).toEqual([
      202,
      'pending',
      0,
    ]);
    await worker.dispatch();
    expect(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([
      oldest,
    ]);
    expect(await listed(`${path}?status=delivered`)).toMatchObject([{ notificationId: oldest }]);
    expect(await listed(`${path}?status=dead`)).toHaveLength(2);
    const again = await api.post(`${path}/${oldest}/retry`, manager, {});
    expect(again.body['status']).toBe('delivered');
    expect((await api.post(`${path}/ntf_${'0'.repeat(32)}/retry`, manager, {})).status).toBe(404);
  });

  it('hides what a process has made for itself', async () => {
    worker.deps = { ...worker.deps, sink: () => Promise.resolve() };
    await tell(api.database);
    await worker.plan();
    expect(await api.database.webhookEndpoint.count()).toBe(1);
    expect(await listed(HOOKS)).toEqual([]);
    expect((await api.get(`${HOOKS}/sink`, person('m', { grants: manager.grants }))).status).toBe(
      404,
    );
  });
});
