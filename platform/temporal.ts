import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';

/**
 * Address, namespace, credentials and TLS of the Temporal server as every Temporal program finds them: `TEMPORAL_*`
 * variables and profiles.
 */
export function temporalSettings(): ReturnType<typeof loadClientConnectConfig> {
  return loadClientConnectConfig();
}

/**
 * A client that connects when it is first used, so that a process can start, and say that it is not ready, while
 * Temporal is away.
 */
export function createTemporalClient(dataConverter: DataConverter): Client {
  const { connectionOptions, namespace } = temporalSettings();
  const connection = Connection.lazy(connectionOptions);
  return new Client({
    connection,
    dataConverter,
    ...(namespace === undefined ? {} : { namespace }),
  });
}

/** Connection and namespace for a worker. @throws when the server does not answer */
export async function connectWorker(): Promise<{
  readonly connection: NativeConnection;
  readonly namespace: string;
}> {
  const { connectionOptions, namespace } = temporalSettings();
  const connection = await NativeConnection.connect(connectionOptions);
  return { connection, namespace: namespace ?? 'default' };
}
