import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppDependencies } from '../../api/app';
import { TaskStream, type TaskStreamSettings } from '../../api/notifications/task-stream';
import { createTokenVerifier } from '../../api/token-verifier';
import { createOperationWait } from '../../api/user-tasks/wait-for-operation';
import type { Person } from '../../domain/user-tasks/actor';
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  loadOrCreateDevIssuer,
  type DevelopmentIssuer,
} from '../../platform/dev-issuer';
import { createLogger } from '../../platform/logger';
import { createWakeListener, type WakeListener } from '../../platform/wake-listener';
import { createDatabase } from '../../prisma/db';
import { startApi, tokenFor } from '../api/start-api';
import { trackResource } from '../harness/open-resources';
import { within } from '../harness/within';

/** Signs the tokens of a test file. */
export interface Issuer extends DevelopmentIssuer {
  readonly remove: () => Promise<void>;
}

export async function createIssuer(): Promise<Issuer> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  const issuer = await loadOrCreateDevIssuer(join(folder, 'issuer.json'));
  return { ...issuer, remove: () => rm(folder, { recursive: true }) };
}

/** One process of the API, with a pool and a listening connection of its own. */
export interface ApiProcess {
  readonly url: string;
  readonly wakes: WakeListener;
  readonly request: (method: string, path: string, by: Person, json?: unknown) => Promise<Response>;
  /** Ends as a process does: streams first. */
  readonly close: () => Promise<void>;
}

let processes = 0;

/** Starts a process on a database that others may share. */
export async function startProcess(
  databaseUrl: string,
  issuer: Issuer,
  settings: Partial<TaskStreamSettings> = {},
  overrides: Partial<AppDependencies> = {},
): Promise<ApiProcess> {
  processes += 1;
  const log = createLogger('test', 'silent');
  const database = createDatabase(databaseUrl, { poolSize: 4 });
  const applicationName = `listen-${processes}`;
  const wakes = createWakeListener({ databaseUrl, log, applicationName, reconnectMs: 500 });
  const stream = new TaskStream({ database, wakes, log, settings });
  const api = await startApi({
    database,
    verifyToken: createTokenVerifier([
      { issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE, key: issuer.publicKey },
    ]),
    waitForOperation: createOperationWait(database, wakes),
    stream,
    ...overrides,
  });
  const { url } = api;
  return {
    url,
    wakes,
    request: async (method, path, by, json) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await tokenFor(issuer, by)}`,
          'content-type': 'application/json',
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    close: async () => {
      await stream.close();
      await api.close();
      await wakes.close();
      await database.$disconnect();
    },
  };
}

/** What a stream has said so far. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reader of the live stream. */
export interface StreamClient {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly StreamEvent[];
  /** Everything that came, as text. */
  readonly text: () => string;
  /** The id that stands last, signs of life included. */
  readonly lastId: () => string | null;
  /** Waits until so many messages about changes have come. */
  readonly messages: (count: number) => Promise<readonly StreamEvent['data'][]>;
  /** Resolves once the server has ended the stream. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a stream, and waits until it runs. */
export async function openStream(
  { url }: Pick<ApiProcess, 'url'>,
  token: string,
  lastEventId: string | null = null,
): Promise<StreamClient> {
  const closing = new AbortController();
  const response = await fetch(`${url}/user-tasks/stream`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
    },
    signal: closing.signal,
  });
  const closed = trackResource('stream');
  let text = '';
  const events: StreamEvent[] = [];
  let lastId: string | null = null;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block.split('\n').map((line) => {
            const at = line.indexOf(':');
            return [line.slice(0, at), line.slice(at + 1).trimStart()] as const;
          }),
        );
        lastId = fields.get('id') ?? lastId;
        const data = fields.get('data');
        if (data === undefined) continue;
        events.push({
          event: fields.get('event') ?? 'message',
          id: fields.get('id') ?? null,
          data: JSON.parse(data) as StreamEvent['data'],
        });
      }
    }
  };
  const ended = read()
    .catch(() => undefined)
    .finally(closed);
  const ok = response.status === 200;
  // The first sign of life says that what was missed has been told and that live messages come.
  if (ok) await within(10_000, () => lastId !== null);
  return {
    status: response.status,
    headers: response.headers,
    events,
    text: () => text,
    lastId: () => lastId,
    messages: async (count) => {
      const changes = () => events.filter(({ event }) => event === 'message');
      await within(10_000, () => changes().length >= count);
      return changes().map(({ data }) => data);
    },
    ended,
    close: async () => {
      closing.abort();
      await ended;
    },
  };
}
