import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';

/** How a process uses its database. */
export interface DatabaseOptions {
  /** Connections this process holds at most. Default 10. */
  readonly poolSize?: number;
  /** Milliseconds to wait for a free or new connection before a query fails. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds after which PostgreSQL stops a statement; null lets it run. Default 30000. */
  readonly statementTimeoutMs?: number | null;
  /** Name under which PostgreSQL lists the connections (`pg_stat_activity`). */
  readonly applicationName?: string;
  /** Called when an idle connection breaks, for example because PostgreSQL restarted. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * Builds the typed client over a pool of its own. Connects on the first query, so that a process
 * can start (and say that it is not ready) while PostgreSQL is still away.
 * @param databaseUrl - `postgresql://user:password@host:port/database`
 * @returns a client whose `$disconnect()` closes the pool
 */
export function createDatabase(databaseUrl: string, options: DatabaseOptions = {}): PrismaClient {
  const ignore = (): void => undefined;
  const onConnectionError = options.onConnectionError ?? ignore;
  const adapter = new PrismaPg(
    {
      connectionString: databaseUrl,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      statement_timeout:
        options.statementTimeoutMs === null ? false : (options.statementTimeoutMs ?? 30_000),
      application_name: options.applicationName ?? 'countersign',
      keepAlive: true,
    },
    // Without a listener a broken idle connection would end the process.
    { onPoolError: onConnectionError, onConnectionError },
  );
  return new PrismaClient({ adapter });
}
