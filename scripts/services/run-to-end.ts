import { spawn } from 'node:child_process';

/** What a command that ran to its end said. */
export interface CommandResult {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

/** Runs a command to its end; it ends with this process. Never throws for an exit code. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<CommandResult> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  // Programs with a Temporal worker take SIGTERM as a wish and finish first; nobody waits any more.
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve) => {
    const finish = (code: number | null): void => {
      process.removeListener('exit', endWithUs);
      resolve({ code, output });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(null);
    });
    child.once('close', finish);
  });
}
