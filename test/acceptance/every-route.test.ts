import type { OpenApiDocument } from '../../api/openapi';
import { isRecord } from '../../domain/json';
import { USER_TASK_VERBS } from '../../domain/user-tasks/grants';
import { tokenFor, type Answer, type Sent } from '../api/start-api';
import { OTHER_TENANT } from '../builders/people';
import { createHttpStack, type HttpStack } from '../harness/http-stack';
import type { RaisedTask } from '../harness/task-stack';
import { openStream } from '../notifications/api-process';
import { ACCOUNTS_PAYABLE, foreigner, m, someone, w1 } from './people';

const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const;
const ABSENT: Readonly<Record<string, string>> = {
  taskId: 'task_00000000-0000-4000-8000-000000000000',
  operationId: 'never-used',
  webhookId: 'whk_00000000-0000-4000-8000-000000000000',
  notificationId: `ntf_${'0'.repeat(32)}`,
};

/** A body for every route that reads one; each would be taken from somebody who may send it. */
const BODIES: Readonly<Record<string, object>> = {
  'post /user-tasks/{taskId}/claim': { expectedRevision: 2 },
  'post /user-tasks/{taskId}/release': { expectedRevision: 2 },
  'post /user-tasks/{taskId}/assign': { expectedRevision: 2, assignee: { id: 'w2' } },
  'patch /user-tasks/{taskId}': { expectedRevision: 2, priority: 1 },
  'post /user-tasks/{taskId}/complete': {
    expectedRevision: 2,
    operationId: 'OP1',
    actionKey: 'approve',
  },
  'post /user-tasks/{taskId}/cancel': { expectedRevision: 2, operationId: 'OP2', reason: 'no' },
  'post /user-tasks/{taskId}/retry-resolution': { expectedRevision: 2 },
  'post /user-tasks/{taskId}/reveal': { fieldKey: 'iban' },
  'post /user-task-webhooks': { url: 'http://127.0.0.1:9/' },
  'patch /user-task-webhooks/{webhookId}': { enabled: false },
};

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly permission: string | null;
}

describe('every route', () => {
  let stack: HttpStack;
  let endpoints: readonly Endpoint[];
  let task: RaisedTask;
  /** What there is in the tenant, by the names of path parameters. */
  let present: Readonly<Record<string, string>>;

  beforeAll(async () => {
    stack = await createHttpStack();
    const document = (await stack.as(m).get('/openapi.json')).body as unknown as OpenApiDocument;
    endpoints = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => ({
        method,
        path,
        permission: permissionOf(item[method]),
      })),
    );
    task = await stack.raise({
      title: 'Invoice',
      summary: 'Two pages',
      tags: ['urgent'],
      reference: 'INV-1',
      requester: { provider: 'p', type: 'user', id: 'r' },
      candidateGroups: [ACCOUNTS_PAYABLE],
      enableCancellationOutcome: true,
      dueAt: 'P2D',
    } as never);
    const claim = { expectedRevision: 1, operationId: 'claim' };
    await stack.as(w1).post(`/user-tasks/${task.taskId}/claim`, claim);
    const webhook = await stack.as(m).post('/user-task-webhooks', { url: 'http://127.0.0.1:9/' });
    const webhookId = webhook.body['id'] as string;
    const ping = await stack.as(m).post(`/user-task-webhooks/${webhookId}/ping`, {});
    const notificationId = ping.body['notificationId'] as string;
    present = { taskId: task.taskId, operationId: 'claim', webhookId, notificationId };
    await stack.database.directoryParticipant.create({
      data: {
        tenantId: 'acme',
        participantKey: 'k',
        provider: 'p',
        type: 'user',
        participantId: 'u',
        displayName: 'U',
        seenAt: new Date(),
      },
    });
  }, 60_000);
  afterAll(() => stack.close());

  function permissionOf(operation: unknown): string | null {
    const permission = isRecord(operation) ? operation['x-permission'] : null;
    return typeof permission === 'string' ? permission : null;
  }

  const filled = (path: string, values: Readonly<Record<string, string>>): string =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
  const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
  const guarded = (): readonly Endpoint[] =>
    endpoints.filter(
      ({ permission, path }) => permission !== null && path !== '/user-tasks/stream',
    );

  const call = (
    endpoint: Endpoint,
    by: typeof m,
    values: Readonly<Record<string, string>>,
    sent: Sent = {},
  ): Promise<Answer> =>
    stack.node.api.send(
      endpoint.method.toUpperCase(),
      filled(endpoint.path, values),
      by,
      endpoint.method === 'get' ? sent : { json: BODIES[nameOf(endpoint)] ?? {}, ...sent },
    );

  /** Status, body and headers, but for what differs from one request to the next. */
  const comparable = ({ status, headers, body }: Answer): unknown => {
    const { date: _date, ...rest } = Object.fromEntries(headers);
    return { status, body: { ...body, instance: null }, headers: rest };
  };

  /** Everything that the tenant has, as it stands in the database. */
  const held = async () => ({
    tasks: await stack.database.userTask.findMany(),
    events: await stack.database.userTaskEvent.findMany({ orderBy: { id: 'asc' } }),
    operations: await stack.database.userTaskOperation.findMany(),
    webhooks: await stack.database.webhookEndpoint.findMany({ where: { tenantId: 'acme' } }),
    deliveries: await stack.database.webhookDelivery.findMany({ where: { tenantId: 'acme' } }),
  });

  it('answers another tenant about what is there as about what is not (UT-206, UT-212, UT-226, UT-236, UT-409)', async () => {
    const before = await held();
    const about = guarded().filter(({ path }) => path.includes('{'));
    expect(about.length).toBeGreaterThan(18);
    for (const endpoint of about) {
      const absent = await call(endpoint, foreigner, ABSENT);
      expect([nameOf(endpoint), absent.status]).toEqual([nameOf(endpoint), 404]);
      expect(absent.body['code']).toBe('not-found');
      const existing = await call(endpoint, foreigner, present);
      expect(comparable(existing)).toEqual(comparable(absent));
      const prefer = { headers: { prefer: 'respond-async' } };
      expect(comparable(await call(endpoint, foreigner, present, prefer))).toEqual(
        comparable(absent),
      );
      // The task is one's own only together with what is asked of it.
      const mixed = { ...ABSENT, taskId: present['taskId']!, webhookId: present['webhookId']! };
      expect((await call(endpoint, foreigner, mixed)).status).toBe(404);
    }
    expect(await held()).toEqual(before);
  });

  it('answers whoever has the permission and nothing to do with the task as if there were none (UT-206, UT-212)', async () => {
    const before = await held();
    const grants = [...USER_TASK_VERBS]
      .filter((verb) => verb !== 'supervise')
      .map((verb) => `user-tasks:${verb}`);
    const outsider = someone('outsider', grants);
    const about = guarded().filter(({ path }) => path.includes('{taskId}'));
    for (const endpoint of about) {
      const absent = await call(endpoint, outsider, ABSENT);
      const supervising = endpoint.permission === 'user-tasks:supervise';
      expect([nameOf(endpoint), absent.status]).toEqual([
        nameOf(endpoint),
        supervising ? 403 : 404,
      ]);
      expect(comparable(await call(endpoint, outsider, present))).toEqual(comparable(absent));
    }
    const after = await held();
    // Managers read who tried what without being one of them; nothing else has changed.
    const refused = after.events.filter(
      ({ eventType }) => eventType === 'PrivilegedOperationFailed',
    );
    expect(refused.map(({ metadata }) => metadata)).toEqual(
      expect.arrayContaining(
        ['Assign', 'ScheduleUpdate', 'Cancel'].map((operation) => ({
          operation,
          code: 'permission-denied',
        })),
      ),
    );
    expect({ ...after, events: before.events }).toEqual(before);
    expect(after.events).toHaveLength(before.events.length + refused.length);
  });

  it('shows another tenant lists of its own only (UT-206, UT-225, UT-322)', async () => {
    const lists = guarded().filter(({ path, method }) => method === 'get' && !path.includes('{'));
    expect(lists.map(({ path }) => path).sort()).toEqual([
      '/user-task-participants',
      '/user-task-webhooks',
      '/user-tasks',
      '/user-tasks/capabilities',
    ]);
    for (const { path } of lists.filter((each) => !each.path.endsWith('capabilities'))) {
      const { status, body } = await stack.as(foreigner).get(path);
      expect([path, status, body['items']]).toEqual([path, 200, []]);
    }
    for (const scope of ['assigned', 'available', 'history', 'all', 'needs-attention']) {
      const query = `?scope=${scope}&includeTotalCount=true&tenantId=acme`;
      expect(await stack.as(foreigner).list(query)).toEqual({
        items: [],
        nextCursor: null,
        totalCount: 0,
      });
    }
    const created = await stack
      .as(foreigner)
      .post('/user-task-webhooks', { url: 'http://x.test/' });
    expect(created.status).toBe(201);
    const ours = (await stack.as(m).get('/user-task-webhooks')).body['items'] as { id: string }[];
    expect(ours.map(({ id }) => id)).toEqual([present['webhookId']]);
  });

  it('streams to another tenant nothing (UT-206, UT-273)', async () => {
    const [mine, theirs] = await Promise.all(
      [m, foreigner].map(async (by) =>
        openStream(stack.node.api, await tokenFor(stack.node.api.issuer, by)),
      ),
    );
    const own = await stack.raise({ title: 'Theirs' }, { tenantId: OTHER_TENANT });
    const told = await theirs!.messages(1);
    await stack.as(m).patch(`/user-tasks/${task.taskId}`, { expectedRevision: 2, priority: 60 });
    await mine!.messages(1);
    expect(told).toMatchObject([{ taskId: own.taskId }]);
    expect(theirs!.events).toHaveLength(1);
    await Promise.all([mine!.close(), theirs!.close()]);
  });

  it('speaks JSON in camel case, with words for enums and UTC for times (UT-011)', async () => {
    const answers: unknown[] = [];
    for (const endpoint of endpoints) {
      if (['/metrics', '/openapi.json', '/user-tasks/stream'].includes(endpoint.path)) continue;
      if (endpoint.method === 'delete') continue;
      for (const by of [m, w1]) {
        const { headers, body, text } = await call(endpoint, by, present);
        expect([nameOf(endpoint), headers.get('content-type')]).toEqual([
          nameOf(endpoint),
          expect.stringMatching(/^application\/(problem\+)?json/),
        ]);
        expect(text).not.toBe('');
        answers.push(body);
      }
    }
    expect(answers.flatMap((answer) => wrongIn(answer, ''))).toEqual([]);
    expect(JSON.stringify(answers)).toContain('"status":"Assigned"');
  });

  it('reads no body but JSON, and takes no upload (UT-043)', async () => {
    const form = new FormData();
    form.set('file', new Blob(['%PDF-1.7']), 'invoice.pdf');
    const multipart = new Response(form);
    const uploads: readonly Sent[] = [
      {
        text: new Uint8Array(await multipart.clone().arrayBuffer()),
        headers: { 'content-type': multipart.headers.get('content-type') ?? '' },
      },
      { text: '%PDF-1.7', headers: { 'content-type': 'application/pdf' } },
      { text: 'abc', headers: { 'content-type': 'application/octet-stream' } },
      {
        text: 'expectedRevision=2',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      { text: '{"expectedRevision":2}', headers: { 'content-type': 'text/plain' } },
    ];
    const before = await held();
    for (const endpoint of guarded().filter((each) => BODIES[nameOf(each)] !== undefined)) {
      for (const upload of uploads) {
        const url = filled(endpoint.path, present);
        const answer = await stack.node.api.send(endpoint.method.toUpperCase(), url, m, upload);
        expect([nameOf(endpoint), answer.status, answer.body['code']]).toEqual([
          nameOf(endpoint),
          415,
          'unsupported-media-type',
        ]);
      }
    }
    expect(await held()).toEqual(before);
  });
});

/** Members whose content is somebody else's: data of tasks, forms and actions. */
const FREE = new Set(['taskData', 'response', 'metadata', 'schema', 'value']);
const WORDS = new Set([
  'status',
  'kind',
  'type',
  'severity',
  'healthSeverity',
  'dataAccess',
  'code',
]);

/** What in a body is not as the wire format wants it, each with its place. */
function wrongIn(value: unknown, place: string): readonly string[] {
  if (typeof value === 'string') {
    const isTime = /^\d{4}-\d\d-\d\dT/.test(value);
    return isTime && !/^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z$/.test(value) ? [place] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => wrongIn(item, `${place}/${at}`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const here = `${place}/${key}`;
    if (FREE.has(key)) return [];
    // The status of a problem is HTTP's.
    const isProblem = 'instance' in value && key === 'status';
    const worded = WORDS.has(key) && !isProblem && member !== null;
    const wrong =
      !/^[a-z][A-Za-z0-9]*$/.test(key) ||
      (worded && (typeof member !== 'string' || /^\d/.test(member))) ||
      (/(^id|Id|Cursor)$/.test(key) && member !== null && typeof member !== 'string') ||
      (/At$/.test(key) && member !== null && typeof member !== 'string');
    return [...(wrong ? [here] : []), ...wrongIn(member, here)];
  });
}
