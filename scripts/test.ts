import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from './services/state-folder';

/** Tests that hold an answer time: they run before the others and alone, so that they measure nothing else. */
const TIMED = 'test/timed';

/**
 * `npm test`: jest, whose global setup (test/harness) starts the services. Arguments are jest's, as
 * in `npm test -- test/domain`; without any, the timed tests come first, by themselves.
 */
async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const runs =
    given.length > 0
      ? [given]
      : [
          [TIMED, '--runInBand'],
          ['--testPathIgnorePatterns', '/node_modules/', `/${TIMED}/`],
        ];
  // Ctrl-C reaches jest by itself; its setup then stops the services, so wait for it.
  process.on('SIGINT', () => undefined);
  for (const args of runs) {
    process.exitCode = await runJest(args);
    if (process.exitCode !== 0) return;
  }
}

function runJest(args: readonly string[]): Promise<number> {
  const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [jest, ...args], {
    cwd: projectFolder,
    stdio: 'inherit',
    env: { NODE_ENV: 'test', ...process.env },
  });
  const terminate = (): boolean => child.kill('SIGTERM');
  process.on('SIGTERM', terminate);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.off('SIGTERM', terminate);
      resolve(code ?? 1);
    });
  });
}

void main();
