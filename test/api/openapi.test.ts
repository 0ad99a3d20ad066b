import type { OpenApiDocument } from '../../api/openapi';
import { expressPath } from '../../api/route';
import { USER_TASK_VERBS, type Permission } from '../../domain/user-tasks/grants';
import { person } from '../builders/people';
import { startApi, type ApiUnderTest } from './start-api';

const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const;
const TASK = 'task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly permission: Permission | null;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
}

let api: ApiUnderTest;
let document: OpenApiDocument;
let operations: readonly Operation[];
beforeAll(async () => {
  api = await startApi({
    executeCommand: () => Promise.resolve({ kind: 'pending', operationId: 'x' }),
  });
  document = (await api.get('/openapi.json', null)).body as unknown as OpenApiDocument;
  operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const operation = item[method] as unknown as Record<string, unknown>;
      return {
        method,
        path,
        permission: (operation['x-permission'] ?? null) as Permission | null,
        security: operation['security'] as readonly unknown[],
        responses: operation['responses'] as Record<string, unknown>,
      };
    }),
  );
});
afterAll(() => api.close());

/** A layer of Express's router, as far as this test looks into it. */
interface Layer {
  readonly route?: {
    readonly path: string;
    readonly methods: Readonly<Record<string, boolean>>;
    readonly stack: readonly { readonly method?: string }[];
  };
}

/** What Express has registered, but for the handlers that refuse other methods. */
function registered(): readonly string[] {
  const { stack } = (api.app as unknown as { router: { stack: readonly Layer[] } }).router;
  return stack.flatMap(({ route }) =>
    route === undefined || route.methods['_all']
      ? []
      : Object.keys(route.methods).map((method) => `${method} ${route.path}`),
  );
}

describe('the OpenAPI document', () => {
  it('describes every route that is registered, and registers every route that it describes (UT-246, UT-302)', () => {
    const described = operations.map(({ method, path }) => `${method} ${expressPath(path)}`);
    expect(described.length).toBeGreaterThan(12);
    expect([...registered()].sort()).toEqual([...described].sort());
  });

  it('gives each route the permission of the catalogue (UT-207, UT-246, UT-302)', () => {
    const permissions = Object.fromEntries(
      operations.map(({ method, path, permission }) => [`${method} ${path}`, permission]),
    );
    expect(permissions).toEqual({
      'get /user-tasks': 'user-tasks:view',
      'get /user-tasks/capabilities': 'user-tasks:view',
      'get /user-tasks/{taskId}': 'user-tasks:view',
      'get /user-tasks/{taskId}/capabilities': 'user-tasks:view',
      'get /user-tasks/{taskId}/events': 'user-tasks:view',
      'get /user-tasks/{taskId}/operations/{operationId}': 'user-tasks:view',
      'post /user-tasks/{taskId}/claim': 'user-tasks:claim',
      'post /user-tasks/{taskId}/release': 'user-tasks:claim',
      'post /user-tasks/{taskId}/assign': 'user-tasks:assign',
      'patch /user-tasks/{taskId}': 'user-tasks:update',
      'post /user-tasks/{taskId}/complete': 'user-tasks:complete',
      'post /user-tasks/{taskId}/cancel': 'user-tasks:cancel',
      'post /user-tasks/{taskId}/retry-resolution': 'user-tasks:supervise',
      'post /user-tasks/{taskId}/reveal': 'user-tasks:view',
      'get /user-task-participants': 'user-tasks/participants:view',
      'get /user-task-webhooks': 'user-tasks:supervise',
      'post /user-task-webhooks': 'user-tasks:supervise',
      'get /user-task-webhooks/{webhookId}': 'user-tasks:supervise',
      'patch /user-task-webhooks/{webhookId}': 'user-tasks:supervise',
      'delete /user-task-webhooks/{webhookId}': 'user-tasks:supervise',
      'post /user-task-webhooks/{webhookId}/ping': 'user-tasks:supervise',
      'post /user-task-webhooks/{webhookId}/rotate-secret': 'user-tasks:supervise',
      'get /user-task-webhooks/{webhookId}/deliveries': 'user-tasks:supervise',
      'post /user-task-webhooks/{webhookId}/deliveries/{notificationId}/retry':
        'user-tasks:supervise',
      'get /livez': null,
      'get /readyz': null,
      'get /metrics': null,
      'get /openapi.json': null,
    });
  });

  it('names the permission that a route really asks for, and the token (UT-246, UT-302)', async () => {
    const everything = [
      ...USER_TASK_VERBS.map((verb) => `user-tasks:${verb}`),
      'user-tasks/participants:view',
    ];
    for (const { method, path, permission, security } of operations) {
      const url = path.replace('{taskId}', TASK).replace('{operationId}', 'op');
      const status = async (grants: readonly string[] | null): Promise<number> =>
        (
          await api.send(
            method.toUpperCase(),
            url,
            grants === null ? null : person('x', { grants }),
            method === 'get' ? {} : { json: {} },
          )
        ).status;
      expect(security).toEqual(permission === null ? [] : [{ bearer: [] }]);
      if (permission === null) {
        expect(await status(null)).toBe(200);
      } else {
        expect(await status(null)).toBe(401);
        expect(await status(everything.filter((grant) => grant !== permission))).toBe(403);
        expect([200, 404, 422]).toContain(await status([permission]));
      }
    }
  });

  it('documents no status without a schema, and for every guarded route 401, 403, 429, 500 and 503', () => {
    for (const { permission, responses } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        const { content = {} } = response as { content?: object };
        // 204 has nothing to describe.
        expect(Object.keys(content)).toHaveLength(status === '204' ? 0 : 1);
      }
      if (permission !== null)
        expect(Object.keys(responses)).toEqual(
          expect.arrayContaining(['401', '403', '429', '500', '503']),
        );
    }
  });

  it('is OpenAPI 3.1 with every reference resolved', () => {
    expect(document.openapi).toBe('3.1.0');
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g),
    ].map(([, name]) => name!);
    expect(references.length).toBeGreaterThan(5);
    for (const name of references) expect(document.components?.schemas).toHaveProperty(name);
  });
});

describe('the reference page', () => {
  it('loads everything it needs from here, and allows nothing else', async () => {
    const page = await api.get('/docs', null);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:/);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(parts).toHaveLength(3);
    for (const part of parts) expect((await api.get(part, null)).status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect((await api.get('/docs/package.json', null)).status).toBe(404);
    expect((await api.get('/docs/../package.json', null)).status).toBe(404);
  });
});
