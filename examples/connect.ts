import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createDataConverter, loadKeyRing } from '../client';
import type { ExampleSettings } from './settings';

/**
 * A Temporal client as every program needs it that starts owners of user tasks: the server from the standard
 * `TEMPORAL_*` settings, and the data converter that both sides share.
 */
export function connectClient({ keyFile }: ExampleSettings): Client {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return new Client({
    connection: Connection.lazy(connectionOptions),
    ...(namespace === undefined ? {} : { namespace }),
    dataConverter: createDataConverter(loadKeyRing(keyFile)),
  });
}
