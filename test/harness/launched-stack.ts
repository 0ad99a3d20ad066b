import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** A launcher that a test has started. */
export interface LaunchedStack {
  readonly child: ChildProcess;
  /** Both streams so far. */
  readonly output: () => string;
  /** Resolves to the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

/** Runs `npm start` without npm, on state of its own and on no server of somebody else. */
export function launchStack(stateRoot: string, args: readonly string[]): LaunchedStack {
  const bootstrap = join(__dirname, '..', '..', 'scripts', 'bootstrap.mjs');
  const child = spawn(process.execPath, [bootstrap, 'start', ...args], {
    env: { ...process.env, ...noServers, NODE_ENV: 'development', COUNTERSIGN_STATE: stateRoot },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}

const noServers = { DATABASE_URL: '', TEMPORAL_ADDRESS: '' };
