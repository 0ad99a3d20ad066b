import { Client } from 'pg';
import type { Logger } from './logger';

/** Why somebody is woken: something to tell, an operation that was refused or failed, or anything may have been missed. */
export type Wake = 'notification' | 'operation' | 'reconnected';

/** Tells that there is something new in the database, not what. A wake may come twice and for nothing. */
export interface Wakes {
  /** @returns ends the subscription */
  readonly subscribe: (listener: (wake: Wake) => void) => () => void;
}

/** The one connection of a process that listens. */
export interface WakeListener extends Wakes {
  readonly close: () => Promise<void>;
}

/** Where to listen. */
export interface WakeListenerOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Name under which PostgreSQL lists the connection. */
  readonly applicationName?: string;
  /** Milliseconds before a lost connection is opened anew; doubles up to 30 times. Default 200. */
  readonly reconnectMs?: number;
}

const CHANNEL = 'countersign';
const LONGEST_PAUSE = 30;

/**
 * Listens on the channel on which the triggers of notifications and operations call. Opens a lost connection again and
 * then wakes everybody, since PostgreSQL keeps nothing for who was away. Never gives up and never throws: subscribers
 * look by themselves now and then, so that a listener that cannot connect makes them late and not blind.
 */
export function createWakeListener(options: WakeListenerOptions): WakeListener {
  const listeners = new Set<(wake: Wake) => void>();
  const wake = (kind: Wake): void => listeners.forEach((listener) => listener(kind));
  const connection = keepListening(options, wake);
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => connection.close(),
  };
}

function keepListening(
  {
    databaseUrl,
    log,
    applicationName = 'countersign-listen',
    reconnectMs = 200,
  }: WakeListenerOptions,
  wake: (kind: Wake) => void,
): { readonly close: () => Promise<void> } {
  let closed = false;
  let failures = 0;
  let timer: NodeJS.Timeout | null = null;
  let current: Client | null = null;

  const connect = async (): Promise<void> => {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    current = client;
    const lost = (error?: Error): void => {
      if (current !== client) return;
      current = null;
      // Whoever waits for its end has waited long enough.
      void client.end().catch(() => undefined);
      if (closed) return;
      failures += 1;
      if (failures === 1) log.warn({ reason: error?.message }, 'the listening connection was lost');
      const pause = reconnectMs * Math.min(2 ** (failures - 1), LONGEST_PAUSE);
      timer = setTimeout(() => void connect(), pause);
    };
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ payload }) =>
      wake(payload === 'operation' ? 'operation' : 'notification'),
    );
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      failures = 0;
      wake('reconnected');
    } catch (error) {
      lost(error instanceof Error ? error : undefined);
    }
  };

  const connecting = connect();
  return {
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await connecting;
      const client = current;
      current = null;
      await client?.end().catch(() => undefined);
    },
  };
}
