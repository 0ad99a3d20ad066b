import { Connection } from '@temporalio/client';
import type { DevStack } from '../dev-stack';
import { startProcess, untilReady, type ManagedProcess } from './managed-process';
import type { StateFolder } from './state-folder';
import type { TemporalExecutable } from './temporal-executable';
import { keepHistories } from './temporal-namespace';

/** How the development server runs. */
export interface TemporalPlan {
  readonly state: StateFolder;
  readonly executable: TemporalExecutable;
  readonly settings: DevStack['temporal'];
  readonly port: number;
  readonly uiPort: number;
  /** Address at which the Temporal UI finds what decrypts payloads; null leaves them unread. */
  readonly codecEndpoint: string | null;
}

/** A Temporal development server that was started here. */
export interface TemporalServer {
  readonly process: ManagedProcess;
  readonly address: string;
  readonly namespace: string;
  readonly uiPort: number;
}

/**
 * Starts `temporal server start-dev` on loopback, with its state in a file, and waits until its
 * namespace accepts workflows and keeps closed histories as long as the settings say.
 */
export async function startTemporal(plan: TemporalPlan): Promise<TemporalServer> {
  const { state, settings } = plan;
  const child = await startProcess(state, {
    name: 'temporal',
    command: plan.executable.path,
    args: argumentsOf(plan),
    cwd: state.root,
    env: withoutTemporalSettings(process.env),
  });
  const address = `127.0.0.1:${plan.port}`;
  const { namespace, retentionDays } = settings;
  try {
    await untilReady(child, () => namespaceAnswers(address, namespace), 60_000);
    await withConnection(address, (connection) =>
      keepHistories(connection, namespace, retentionDays),
    );
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { process: child, address, namespace, uiPort: plan.uiPort };
}

function argumentsOf(plan: TemporalPlan): string[] {
  const { settings } = plan;
  // By default SQLite waits for the disk on every write: 28 updates a second against 147 with these.
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];
  const attributes = Object.entries(settings.searchAttributes);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(plan.port)],
    ...['--ui-port', String(plan.uiPort), '--db-filename', plan.state.temporalFile],
    ...['--namespace', settings.namespace],
    ...(plan.codecEndpoint === null ? [] : ['--ui-codec-endpoint', plan.codecEndpoint]),
    ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...attributes.flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

/** The environment without what a person has set for another Temporal server. */
export function withoutTemporalSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_')),
  );
}

async function namespaceAnswers(address: string, namespace: string): Promise<boolean> {
  return withConnection(address, async (connection) => {
    // Describing the namespace succeeds earlier than listing its workflows does.
    await connection.workflowService.describeNamespace({ namespace });
    await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
    return true;
  });
}

async function withConnection<T>(
  address: string,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
