import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { keepRunning } from './keep-running';
import { LaunchError, lineOf } from './launch-error';
import { withProgress } from './services/progress';
import { temporalExecutable } from './services/temporal-executable';
import { ensureSearchAttributes } from './services/temporal-namespace';
import { startTemporal, withoutTemporalSettings } from './services/temporal-server';
import type { Launch } from './launch';
import { setting } from './setting';

/** How the programs reach Temporal. */
export interface TemporalAccess {
  readonly address: string;
  readonly namespace: string;
  /** Null when somebody else runs the server. */
  readonly uiUrl: string | null;
  /** Environment of the programs, with the standard settings of Temporal's clients. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Uses the server that TEMPORAL_ADDRESS names, or starts one. */
export async function startTemporalFor(launch: Launch): Promise<TemporalAccess> {
  return setting('TEMPORAL_ADDRESS') === undefined ? ownServer(launch) : givenServer(launch);
}

async function ownServer(launch: Launch): Promise<TemporalAccess> {
  const { state, stack, options, lifecycle, report } = launch;
  const executable = await temporalExecutable(stack.temporal.cliVersion, report);
  report(`Starting Temporal ${executable.version}.`);
  const { codecPath } = stack.temporal;
  const api = `http://${stack.http.host}:${options.ports.api.port}`;
  const begin = () =>
    startTemporal({
      state,
      executable,
      settings: stack.temporal,
      port: options.ports.temporal.port,
      uiPort: options.ports.ui.port,
      codecEndpoint: codecPath === null ? null : `${api}${codecPath}`,
    });
  const server = await withProgress(report, 'starting Temporal', begin());
  void keepRunning(lifecycle, server.process, async () => (await begin()).process, report);

  // An empty profile, so that one a person keeps for another server is not mixed in.
  const profile = join(state.run, 'temporal.toml');
  writeFileSync(profile, '[profile.default]\n');
  return {
    address: server.address,
    namespace: server.namespace,
    uiUrl: `http://127.0.0.1:${server.uiPort}/namespaces/${server.namespace}/workflows`,
    environment: {
      ...withoutTemporalSettings(process.env),
      TEMPORAL_CONFIG_FILE: profile,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: server.namespace,
    },
  };
}

async function givenServer({ stack, report }: Launch): Promise<TemporalAccess> {
  const config = loadClientConnectConfig();
  const namespace = config.namespace ?? 'default';
  const address = config.connectionOptions.address ?? '';
  const connection = await Connection.connect(config.connectionOptions).catch((error: unknown) => {
    throw new LaunchError(
      `TEMPORAL_ADDRESS names ${address}, which does not accept us (${lineOf(error)}); correct it, ` +
        'or unset it to start a server here.',
      { cause: error },
    );
  });
  try {
    const wanted = stack.temporal.searchAttributes;
    const added = await ensureSearchAttributes(connection, namespace, wanted);
    if (added.length > 0) report(`Search attributes added: ${added.join(', ')}.`);
  } finally {
    await connection.close();
  }
  return { address, namespace, uiUrl: null, environment: { ...process.env } };
}
