import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUserTaskApi, RefusedError, type UserTaskApi } from './user-task-api';

/** What a scripted server does with one request: an answer, or a connection that breaks. */
type Step =
  { readonly status: number; readonly body?: object; readonly headers?: object } | 'break';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Runs `work` against a server that answers request after request as told. */
async function against(
  steps: readonly Step[],
  work: (api: UserTaskApi) => Promise<unknown>,
  patienceMs = 5_000,
): Promise<{ outcome: unknown; seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const step = steps[seen.length] ?? { status: 500 };
      seen.push({ method: request.method ?? '', path: request.url ?? '', body });
      if (step === 'break') return request.socket.destroy();
      response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
      return response.end(step.body === undefined ? '' : JSON.stringify(step.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const outcome = await work(createUserTaskApi({ baseUrl, token: 't', patienceMs })).catch(
      (error: unknown) => error,
    );
    return { outcome, seen };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const command = { operationId: 'claim:1', expectedRevision: 1 };
const claim = (api: UserTaskApi) => api.claim('task_1', command);
const done = { status: 200, body: { operationId: 'claim:1', revision: 2 } };

describe('a person at the API', () => {
  it('sends a command again under its operation id while the API is away (UT-139, UT-400)', async () => {
    const { outcome, seen } = await against(
      [
        'break',
        { status: 503, headers: { 'retry-after': '0' } },
        { status: 504 },
        { status: 429 },
        done,
      ],
      claim,
    );
    expect(outcome).toEqual({ revision: 2, retried: true });
    expect(seen).toHaveLength(5);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set([JSON.stringify(command)]));
  });

  it('sends it again when it came too late to be accepted (UT-401)', async () => {
    const expired = { status: 409, body: { code: 'command-expired', detail: 'late' } };
    const { outcome } = await against([expired, done], claim);
    expect(outcome).toEqual({ revision: 2, retried: true });
  });

  it('takes a refusal for an answer when nothing was lost before it', async () => {
    const conflict = { status: 409, body: { code: 'revision-conflict', detail: 'changed' } };
    const { outcome, seen } = await against([conflict], claim);
    expect(outcome).toBeInstanceOf(RefusedError);
    expect(outcome).toMatchObject({ status: 409, code: 'revision-conflict' });
    expect(seen).toHaveLength(1);
  });

  it('asks what became of the operation when a later try is refused (UT-409)', async () => {
    const gone = { status: 404, body: { code: 'not-found' } };
    const operation = {
      status: 200,
      body: { operationId: 'claim:1', status: 'completed', revision: 2 },
    };
    const { outcome, seen } = await against(['break', gone, operation], claim);
    expect(outcome).toEqual({ revision: 2, retried: true });
    expect(seen[2]).toMatchObject({ path: '/user-tasks/task_1/operations/claim%3A1?wait=30' });
  });

  it('reports the refusal when the operation was never accepted', async () => {
    const gone = { status: 404, body: { code: 'not-found' } };
    const { outcome } = await against(['break', gone, gone], claim);
    expect(outcome).toMatchObject({ status: 404, code: 'not-found' });
  });

  it('gives up after its patience, and says what did not answer', async () => {
    const { outcome } = await against(['break', 'break', 'break', 'break'], claim, 1);
    expect(String(outcome)).toContain('does not answer');
  });

  it('reads lists by any number of filters', async () => {
    const page = { status: 200, body: { items: [], nextCursor: null } };
    const { seen } = await against([page], (api) =>
      api.list({ scope: 'all', status: ['Available', 'Assigned'], workflowInstanceId: 'a/b c' }),
    );
    expect(seen[0]!.path).toBe(
      '/user-tasks?scope=all&status=Available&status=Assigned&workflowInstanceId=a%2Fb+c',
    );
  });
});
