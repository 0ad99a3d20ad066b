import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Express } from 'express';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createApp, type AppDependencies } from '../../api/app';
import { claimNamesOf, type ClaimNames } from '../../api/claims';
import { createTokenVerifier } from '../../api/token-verifier';
import { createOperationWait } from '../../api/user-tasks/wait-for-operation';
import type { Person } from '../../domain/user-tasks/actor';
import { readConfig } from '../../platform/config';
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  loadOrCreateDevIssuer,
  type DevelopmentIssuer,
} from '../../platform/dev-issuer';
import { createSecretBox, type SecretBox } from '../../platform/secret-box';
import { trackResource } from '../harness/open-resources';
import { createPayloadCodec } from '../../platform/payload-codec';
import { testKeyRing } from '../harness/task-stack';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';

/** What the API answered. `body` is the parsed JSON, or the text where it is none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request beside method and path. */
export interface Sent {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API on a database and a port of its own. */
export interface ApiUnderTest {
  readonly app: Express;
  readonly url: string;
  readonly database: TestDatabase['db'];
  readonly issuer: DevelopmentIssuer;
  readonly metrics: Registry;
  /** Everything that was logged so far, as text. */
  readonly logged: () => string;
  /** Sends a request as a person, or as nobody. */
  readonly send: (method: string, path: string, by: Person | null, sent?: Sent) => Promise<Answer>;
  readonly get: (path: string, by: Person | null, sent?: Sent) => Promise<Answer>;
  readonly post: (path: string, by: Person | null, json: unknown, sent?: Sent) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Claim names that hold unless configured otherwise. */
export const CLAIM_NAMES: ClaimNames = claimNamesOf(
  readConfig({ DATABASE_URL: 'postgresql://unused', COUNTERSIGN_KEY_FILE: 'unused' }),
);

/** Keeps secrets with a key of the tests' own. */
export function testSecretBox(): SecretBox {
  return createSecretBox(testKeyRing());
}

/**
 * Starts the API, on a database of its own unless it is given one. Commands are refused with a bug unless the test says
 * what becomes of them.
 */
export async function startApi(overrides: Partial<AppDependencies> = {}): Promise<ApiUnderTest> {
  const { db, drop } = await databaseOf(overrides);
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  const issuer = await loadOrCreateDevIssuer(join(folder, 'issuer.json'));
  const lines: string[] = [];
  const metrics = new Registry();
  const app = createApp({
    log: pino({ level: 'trace' }, collector(lines)),
    database: db,
    metrics,
    verifyToken: createTokenVerifier([
      { issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE, key: issuer.publicKey },
    ]),
    claimNames: CLAIM_NAMES,
    rateLimitPerMinute: 0,
    trustedProxies: 0,
    executeCommand: () => Promise.reject(new Error('no command expected')),
    waitForOperation: createOperationWait(db, { subscribe: () => () => undefined }),
    stream: null,
    pollingIntervalSeconds: 30,
    secretBox: testSecretBox(),
    strictWebhooks: false,
    codec: createPayloadCodec(testKeyRing()),
    uiOrigins: ['http://127.0.0.1:8233'],
    probes: {},
    ...overrides,
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = trackResource('API');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = sender(url, issuer);
  return {
    app,
    url,
    database: db,
    issuer,
    metrics,
    logged: () => lines.join(''),
    send,
    get: (path, by, sent) => send('GET', path, by, sent),
    post: (path, by, json, sent) => send('POST', path, by, { json, ...sent }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await drop();
      await rm(folder, { recursive: true });
      closed();
    },
  };
}

async function databaseOf({
  database,
}: Partial<AppDependencies>): Promise<Pick<TestDatabase, 'db' | 'drop'>> {
  return database === undefined
    ? createTestDatabase()
    : { db: database, drop: () => Promise.resolve() };
}

/** A token that says of a person what the API is to find out. */
export function tokenFor(
  issuer: DevelopmentIssuer,
  { subject, groups, grants }: Person,
): Promise<string> {
  return issuer.token({
    subject: subject.id,
    tenantId: subject.tenantId,
    provider: subject.provider,
    groups: groups.map(({ id }) => id),
    grants,
    ...(subject.displayName === null ? {} : { name: subject.displayName }),
  });
}

function sender(url: string, issuer: DevelopmentIssuer): ApiUnderTest['send'] {
  return async (method, path, by, sent = {}) => {
    const headers = new Headers(sent.headers);
    if (by !== null) headers.set('authorization', `Bearer ${await tokenFor(issuer, by)}`);
    const body = 'json' in sent ? JSON.stringify(sent.json) : sent.text;
    if (body !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json');
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as Answer['body']) : {},
    };
  };
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
}
