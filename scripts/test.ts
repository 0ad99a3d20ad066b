import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from './services/state-folder';

/**
 * `npm test`: jest, whose global setup (test/harness) starts the services. Arguments are jest's, as
 * in `npm test -- test/domain`.
 */
function main(): void {
  const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [jest, ...process.argv.slice(2)], {
    cwd: projectFolder,
    stdio: 'inherit',
    env: { NODE_ENV: 'test', ...process.env },
  });
  // Ctrl-C reaches jest by itself; its setup then stops the services, so wait for it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

main();
