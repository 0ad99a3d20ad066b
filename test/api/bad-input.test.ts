import { manager } from '../builders/people';
import { startApi, type ApiUnderTest, type Sent } from './start-api';

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

const claim = (sent: Sent): ReturnType<ApiUnderTest['send']> =>
  api.send('POST', `${TASK}/claim`, manager, sent);

describe('bodies', () => {
  it.each([
    '{',
    '',
    '{"expectedRevision":1}}',
    "{'expectedRevision':1}",
    'undefined',
    '{"expectedRevision":NaN}',
  ])('answers the unparsable %j with 400 (UT-220)', async (text) => {
    const { status, body } = await claim({ text });
    expect([status, body['code']]).toEqual(
      text === '' ? [422, 'invalid-request'] : [400, 'invalid-request'],
    );
    expect(executed).toEqual([]);
  });

  it.each([
    ['claim', {}, ['/expectedRevision']],
    ['claim', null, ['']],
    ['claim', [], ['']],
    ['claim', 'text', ['']],
    ['claim', { expectedRevision: '1' }, ['/expectedRevision']],
    ['claim', { expectedRevision: 1.5 }, ['/expectedRevision']],
    ['claim', { expectedRevision: -1 }, ['/expectedRevision']],
    ['claim', { expectedRevision: 2 ** 31 }, ['/expectedRevision']],
    ['claim', { expectedRevision: 1e300 }, ['/expectedRevision']],
    ['claim', { expectedRevision: null }, ['/expectedRevision']],
    ['claim', { expectedRevision: 1, operationId: '' }, ['/operationId']],
    ['claim', { expectedRevision: 1, operationId: ' \t' }, ['/operationId']],
    ['claim', { expectedRevision: 1, operationId: 'x'.repeat(451) }, ['/operationId']],
    ['claim', { expectedRevision: 1, operationId: 'a\u0000b' }, ['/operationId']],
    ['claim', { expectedRevision: 1, operationId: '\ud800' }, ['/operationId']],
    ['claim', { expectedRevision: 1, operationId: 7 }, ['/operationId']],
    ['claim', { expectedRevision: 1, actor: 'someone' }, ['/actor']],
    ['claim', { expectedRevision: 1, 'a/b~c': 1, d: 2 }, ['/a~1b~0c', '/d']],
    ['release', { expectedRevision: 1, reason: 'r'.repeat(4001) }, ['/reason']],
    ['release', { expectedRevision: 1, reason: 5 }, ['/reason']],
    ['complete', { expectedRevision: 1, actionKey: 'approve' }, ['/operationId']],
    ['complete', { expectedRevision: 1, operationId: ' ', actionKey: 'approve' }, ['/operationId']],
    ['complete', { expectedRevision: 1, operationId: 'a' }, ['/actionKey']],
    [
      'complete',
      { expectedRevision: 1, operationId: 'a', actionKey: 'k'.repeat(201) },
      ['/actionKey'],
    ],
    ['complete', { expectedRevision: 1, operationId: 'a', actionKey: ['approve'] }, ['/actionKey']],
    ['cancel', { expectedRevision: 1, reason: 'because' }, ['/operationId']],
    ['cancel', { expectedRevision: 1, operationId: '', reason: 'because' }, ['/operationId']],
    ['assign', { expectedRevision: 1 }, ['/assignee']],
    ['assign', { expectedRevision: 1, assignee: 'clerk' }, ['/assignee']],
    ['assign', { expectedRevision: 1, assignee: { type: 'user' } }, ['/assignee/id']],
    ['assign', { expectedRevision: 1, assignee: { id: 'x'.repeat(451) } }, ['/assignee/id']],
    [
      'assign',
      { expectedRevision: 1, assignee: { id: 'a', provider: 'p'.repeat(201) } },
      ['/assignee/provider'],
    ],
    [
      'assign',
      { expectedRevision: 1, assignee: { id: 'a', provider: '' } },
      ['/assignee/provider'],
    ],
    [
      'assign',
      { expectedRevision: 1, assignee: { id: 'a', displayName: 'd'.repeat(501) } },
      ['/assignee/displayName'],
    ],
    ['assign', { expectedRevision: 1, assignee: { id: 'a', type: 'robot' } }, ['/assignee/type']],
    [
      'assign',
      { expectedRevision: 1, assignee: { id: 'a', type: 'user', kind: 'group' } },
      ['/assignee'],
    ],
    [
      'assign',
      { expectedRevision: 1, assignee: { id: 'a', tenantId: 'globex' } },
      ['/assignee/tenantId'],
    ],
    ['', { expectedRevision: 1, priority: '5' }, ['/priority']],
    ['', { expectedRevision: 1, dueAt: 'tomorrow' }, ['/dueAt']],
    ['', { expectedRevision: 1, dueAt: '2026-05-01T00:00:00' }, ['/dueAt']],
    ['', { expectedRevision: 1, dueAt: '2026-02-30T00:00:00Z' }, ['/dueAt']],
    ['', { expectedRevision: 1, dueAt: '0000-01-01T00:00:00Z' }, ['/dueAt']],
    ['', { expectedRevision: 1, dueAt: 5 }, ['/dueAt']],
    ['', { expectedRevision: 1, title: 'new', priority: 5 }, ['/title']],
  ])(
    'refuses the %s body %j and says where (UT-137, UT-139, UT-220, UT-232, UT-288)',
    async (verb, json, pointers) => {
      const method = verb === '' ? 'PATCH' : 'POST';
      const { status, body } = await api.send(
        method,
        `${TASK}${verb === '' ? '' : `/${verb}`}`,
        manager,
        { json },
      );
      expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'invalid-request' });
      const errors = body['errors'] as { pointer: string; detail: string }[];
      expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
      expect(executed).toEqual([]);
    },
  );

  it('repeats nothing of what was sent in an error (UT-157)', async () => {
    const json = {
      expectedRevision: 'canary-1',
      operationId: 'op',
      actionKey: 'approve',
      data: { iban: 'canary-2' },
    };
    const { status, text } = await api.post(`${TASK}/complete`, manager, json);
    expect(status).toBe(422);
    expect(text).not.toContain('canary');
  });

  it('takes the pollution of prototypes for what it is, an unknown field', async () => {
    const { status, body } = await claim({
      text: '{"expectedRevision":1,"__proto__":{"admin":true},"constructor":1}',
    });
    expect(status).toBe(422);
    expect((body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toContain(
      '/constructor',
    );
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('reads the body as it is meant, with a participant by type or kind and the caller’s tenant and provider (UT-231, UT-045)', async () => {
    for (const assignee of [{ type: 'user', id: 'w1' }, { kind: 'user', id: 'w1' }, { id: 'w1' }])
      await api.post(`${TASK}/assign`, manager, { expectedRevision: 3, assignee });
    await api.post(`${TASK}/assign`, manager, {
      expectedRevision: 3,
      assignee: { provider: 'other', type: 'group', id: 'g', displayName: 'G' },
      reason: 'cover',
    });
    const subject = {
      tenantId: 'acme',
      provider: 'directory',
      type: 'user',
      id: 'w1',
      displayName: null,
    };
    const commands = executed.map((request) => (request as { command: unknown }).command);
    expect(commands.slice(0, 3)).toEqual(
      Array(3).fill({
        kind: 'assign',
        expectedRevision: 3,
        operationId: null,
        reason: null,
        assignee: subject,
      }),
    );
    expect(commands[3]).toMatchObject({
      reason: 'cover',
      assignee: { tenantId: 'acme', provider: 'other', type: 'group', id: 'g', displayName: 'G' },
    });
  });

  it('refuses to assign to an empty id (UT-118)', async () => {
    const { status, body } = await api.post(`${TASK}/assign`, manager, {
      expectedRevision: 1,
      assignee: { id: ' ' },
    });
    expect([status, body['code']]).toEqual([422, 'invalid-assignee']);
  });

  it('tells a due date that is taken away from one that stays (UT-124)', async () => {
    const patch = (json: unknown): ReturnType<typeof api.send> =>
      api.send('PATCH', TASK, manager, { json });
    await patch({ expectedRevision: 1, dueAt: null });
    await patch({ expectedRevision: 1, priority: 7 });
    await patch({ expectedRevision: 1, dueAt: '2026-05-01T02:00:00+02:00' });
    expect(executed.map((request) => (request as { command: unknown }).command)).toEqual([
      { kind: 'update', expectedRevision: 1, operationId: null, dueAt: null },
      { kind: 'update', expectedRevision: 1, operationId: null, priority: 7 },
      { kind: 'update', expectedRevision: 1, operationId: null, dueAt: '2026-05-01T00:00:00.000Z' },
    ]);
  });

  it('leaves a missing reason of a cancellation to the task, which has a code for it (UT-234)', async () => {
    await api.post(`${TASK}/cancel`, manager, { expectedRevision: 1, operationId: 'op' });
    expect(executed).toMatchObject([{ command: { kind: 'cancel', reason: '' } }]);
  });

  it('reads data up to the limit of a body, and refuses more than 1 MiB and data nested too deeply (UT-042)', async () => {
    const complete = (data: string): ReturnType<typeof api.send> =>
      api.send('POST', `${TASK}/complete`, manager, {
        text: `{"expectedRevision":1,"operationId":"op","actionKey":"a","data":${data}}`,
      });
    expect((await complete(`"${'x'.repeat(300_000)}"`)).status).toBe(202);
    expect(await complete(`"${'x'.repeat(1_100_000)}"`)).toMatchObject({
      status: 422,
      body: { code: 'payload-too-large' },
    });
    expect(await complete('['.repeat(5000) + ']'.repeat(5000))).toMatchObject({
      status: 422,
      body: { code: 'invalid-request', errors: [{ pointer: '/data' }] },
    });
    expect(executed).toHaveLength(1);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=latin1',
  ])('takes no %s (UT-043)', async (type) => {
    expect(
      await claim({ text: '{"expectedRevision":1}', headers: { 'content-type': type } }),
    ).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
    expect(executed).toEqual([]);
  });

  it('takes JSON in UTF-8 said in any of the usual ways, and compressed', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;charset="UTF-8"',
    ]) {
      expect(
        (await claim({ text: '{"expectedRevision":1}', headers: { 'content-type': type } })).status,
      ).toBe(202);
    }
    expect(
      (
        await claim({
          text: '{"expectedRevision":1}',
          headers: { 'content-encoding': 'x-unknown' },
        })
      ).status,
    ).toBe(415);
    expect((await claim({ text: 'no gzip', headers: { 'content-encoding': 'gzip' } })).status).toBe(
      400,
    );
  });
});
