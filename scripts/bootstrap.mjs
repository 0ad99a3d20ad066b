// First step of every command: installs what npm has to install, then runs the script named by the
// first argument. Plain JavaScript without imports from node_modules, which may not be there yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const [script = 'start', ...args] = process.argv.slice(2);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old; install Node 20.19 or newer.`);
}

const state = installState();
if (state !== 'fresh') {
  // `npm ci` for a new clone; an outdated folder is brought up to date without removing it.
  const command = state === 'missing' ? 'ci' : 'install';
  console.log(`Installing packages (npm ${command}) …`);
  const result = spawnSync('npm', [command, '--no-audit', '--no-fund'], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    fail(`npm ${command} failed; see above, check the connection to the registry, and try again.`);
  }
}

process.argv = [process.argv[0], join(project, 'scripts', `${script}.ts`), ...args];
await import('tsx');
await import(`./${script}.ts`);

/** Compares what package-lock.json asks for with what npm says it has installed. */
function installState() {
  const installed = read(join(project, 'node_modules', '.package-lock.json'));
  if (installed === null) return 'missing';
  const wanted = read(join(project, 'package-lock.json'))?.packages ?? {};
  const differs = Object.entries(wanted).some(
    ([path, entry]) =>
      path !== '' &&
      entry.optional !== true &&
      entry.devOptional !== true &&
      entry.peer !== true &&
      entry.link !== true &&
      installed.packages?.[path]?.version !== entry.version,
  );
  return differs ? 'stale' : 'fresh';
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function fail(line) {
  console.error(line);
  process.exit(1);
}
