import { manager, person } from '../builders/people';
import { startApi, type ApiUnderTest } from './start-api';

const TASK = '/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55';

let api: ApiUnderTest;
let executed: unknown[];
beforeAll(async () => {
  api = await startApi({
    executeCommand: (request) => {
      executed.push(request);
      return Promise.resolve({
        kind: 'pending',
        operationId: request.command.operationId ?? 'minted',
      });
    },
  });
});
beforeEach(() => {
  executed = [];
});
afterAll(() => api.close());

describe('paths and methods', () => {
  it.each([
    '/nowhere',
    '/user-tasks/',
    '/user-tasks/nonsense/claim/more',
    '/tasks/1/complete',
    '/user-tasks/%E0%A4%A',
    '/user-tasks/task_x',
    `${TASK}x`,
  ])('answers %s with 404 (UT-010, UT-212)', async (path) => {
    const answer = await api.get(path, manager);
    if (path === '/user-tasks/') expect(answer.status).toBe(200);
    else
      expect(answer).toMatchObject({
        status: 404,
        body: { code: 'not-found', type: '/problems/not-found' },
      });
  });

  it('names the methods of a resource to whoever uses another', async () => {
    const { status, headers, body } = await api.send('DELETE', TASK, manager);
    expect([status, body['code'], headers.get('allow')]).toEqual([
      405,
      'method-not-allowed',
      'GET, PATCH',
    ]);
    expect((await api.get(`${TASK}/claim`, manager)).status).toBe(405);
  });

  it('creates no task, whoever asks (UT-001)', async () => {
    expect((await api.post('/user-tasks', manager, { title: 'x' })).status).toBe(405);
  });
});

describe('permissions', () => {
  it.each([
    ['claim', 'user-tasks:claim'],
    ['release', 'user-tasks:claim'],
    ['assign', 'user-tasks:assign'],
    ['complete', 'user-tasks:complete'],
    ['cancel', 'user-tasks:cancel'],
  ])(
    'needs for %s the permission %s, before any task is looked at (UT-206, UT-213, UT-294)',
    async (verb, permission) => {
      const all = [
        'view',
        'claim',
        'complete',
        'assign',
        'update',
        'cancel',
        'invite',
        'supervise',
      ].map((name) => `user-tasks:${name}`);
      const without = person('x', { grants: all.filter((grant) => grant !== permission) });
      expect(await api.post(`${TASK}/${verb}`, without, {})).toMatchObject({
        status: 403,
        body: { code: 'permission-denied' },
      });
      expect(
        (await api.post(`${TASK}/${verb}`, person('x', { grants: [permission] }), {})).status,
      ).toBe(422);
      expect(executed).toEqual([]);
    },
  );
});

describe('answers of commands', () => {
  it('answers 202 with the address of the operation when it was only sent (UT-410)', async () => {
    const answer = await api.post(
      `${TASK}/claim`,
      manager,
      { expectedRevision: 1, operationId: 'OP 1/2' },
      { headers: { prefer: 'wait=5, Respond-Async; x=y' } },
    );
    expect(answer).toMatchObject({
      status: 202,
      body: { operationId: 'OP 1/2', status: 'pending' },
    });
    expect(answer.headers.get('location')).toBe(`${TASK}/operations/OP%201%2F2`);
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
    expect(executed).toMatchObject([{ respondAsync: true }]);
    await api.post(
      `${TASK}/claim`,
      manager,
      { expectedRevision: 1 },
      { headers: { prefer: 'return=minimal' } },
    );
    expect(executed).toMatchObject([{}, { respondAsync: false }]);
  });
});
