import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The permit example as a process of its own. */
export interface PermitsRun {
  readonly output: () => string;
  /** Null while it runs. */
  readonly exitCode: () => number | null;
  readonly ended: Promise<number | null>;
}

/** Runs `example:permits` with a log against a stack that was launched on this state. */
export function runPermits(
  stateRoot: string,
  log: string,
  ports: { readonly api: number; readonly temporal: number },
): PermitsRun {
  const script = join(__dirname, '..', '..', 'examples', 'permits.ts');
  const args = ['--import', 'tsx', script, log, '--concurrency', '6', '--patience', '300'];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      COUNTERSIGN_STATE: stateRoot,
      COUNTERSIGN_URL: `http://127.0.0.1:${ports.api}`,
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { output: () => output, exitCode: () => child.exitCode, ended };
}
