import { safePath } from '../../api/log-requests';
import { describeError } from '../../api/describe-error';
import { clerk, manager } from '../builders/people';
import { aDistinctTask, seed } from './seed-task';
import { startApi, tokenFor, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

describe('the log', () => {
  it('tells method, path, status and id of a request, one line each, and nothing of probes', async () => {
    const id = await seed(api.database, aDistinctTask());
    const missing = await api.get(`/user-tasks/${id}/operations/x`, clerk);
    await api.get('/livez', null);
    const lines = api
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      req: { method: 'GET', path: `/user-tasks/${id}/operations/[redacted]` },
      res: { status: 404 },
      requestId: (missing.body['instance'] as string).replace('urn:uuid:', ''),
    });
  });

  it('holds no body, token, query, response or protected content (UT-047, UT-145, UT-157, UT-247)', async () => {
    const task = aDistinctTask({
      title: 'canary-title',
      instructions: 'canary-instructions',
      taskData: 'canary-data',
    }).claimedBy(clerk);
    const id = await seed(api.database, task);
    const token = await tokenFor(api.issuer, clerk);
    await api.get(`/user-tasks/${id}`, clerk);
    await api.get('/user-tasks?search=canary-search', clerk);
    await api.get(`/user-tasks/${id}/operations/canary-operation`, clerk);
    await api.get('/user-task-invitations/canary-Token-0123', null);
    await api.post(`/user-tasks/${id}/complete`, clerk, {
      expectedRevision: 2,
      operationId: 'op',
      actionKey: 'Complete',
      data: 'canary-body',
    });
    await api.post(`/user-tasks/${id}/complete`, clerk, { canary: 'canary-field' });
    await api.send('POST', `/user-tasks/${id}/complete`, clerk, { text: '{"data":"canary-broken' });
    await api.get('/user-tasks', null, {
      headers: {
        authorization: 'Bearer canary-token',
        cookie: 'canary-cookie',
        'x-secret': 'canary-header',
      },
    });
    const logged = api.logged();
    expect(logged.split('\n').length).toBeGreaterThan(8);
    expect(logged).toContain('[redacted]');
    expect(logged).not.toContain('canary');
    expect(logged).not.toContain(token);
  });

  it('holds nothing that a failing statement quotes (UT-047)', async () => {
    const id = await seed(api.database, aDistinctTask());
    await api.database.$executeRawUnsafe(
      'alter table user_task_operations rename column kind to sort',
    );
    expect((await api.get(`/user-tasks/${id}/operations/canary-id`, manager)).status).toBe(500);
    expect(api.logged()).toContain('"code":"internal"');
    expect(api.logged()).not.toContain('canary');
  });
});

describe('safePath', () => {
  const words = new Set(['user-tasks', 'claim', 'user-task-invitations', 'verify', 'openapi.json']);

  it('keeps the words of routes and task ids and cuts out whatever else stands in a path (UT-247)', () => {
    expect(safePath('/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55/claim?x=1', words)).toBe(
      '/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55/claim',
    );
    expect(safePath('/user-task-invitations/aB3-secret_token/verify', words)).toBe(
      '/user-task-invitations/[redacted]/verify',
    );
    expect(safePath('/openapi.json', words)).toBe('/openapi.json');
  });
});

describe('describeError', () => {
  it('names what happened and where, without the text that may quote data', () => {
    const quoting = Object.assign(new Error('invalid input: "canary"'), {
      name: 'PrismaClientKnownRequestError',
      code: 'P2010',
    });
    const wrapped = new Error('the list cannot be read', { cause: quoting });
    const described = describeError(wrapped);
    expect(described).toMatchObject({
      name: 'Error',
      message: 'the list cannot be read',
      cause: { name: 'PrismaClientKnownRequestError', code: 'P2010', message: null },
    });
    expect(described.frames[0]).toMatch(/logging\.test/);
    expect(JSON.stringify(described)).not.toContain('canary');
    expect(describeError('canary')).toMatchObject({ name: 'string', message: null });
  });
});
