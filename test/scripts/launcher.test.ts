import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDevStack } from '../../scripts/dev-stack';
import { ensurePayloadKeys } from '../../scripts/payload-keys';
import { startProcess, untilReady } from '../../scripts/services/managed-process';
import { freePort, requireFreePort } from '../../scripts/services/port';
import { findRecorded, recordProcess, startTimeOf } from '../../scripts/services/process-record';
import { closedFolderOn } from '../../scripts/services/postgres-user';
import { openStateFolder, type StateFolder } from '../../scripts/services/state-folder';
import { readStartOptions } from '../../scripts/start-options';
import { launchStack, type LaunchedStack } from '../harness/launched-stack';
import { within } from '../harness/within';

describe('the launcher', () => {
  let folder: string;
  let state: StateFolder;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-launcher-'));
    state = openStateFolder(join(folder, 'state'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const launch = (...args: string[]): LaunchedStack => launchStack(state.root, args);

  test('names a port in use and the way to choose another in one line, and ends with code 1', async () => {
    const other = await listen();
    const { port } = other.address() as AddressInfo;
    try {
      const { output, ended } = launch('--api-port', String(port));

      expect(await ended).toBe(1);
      expect(output().trim()).toBe(
        `Port ${port} for the API is in use; stop the program that listens there, or choose ` +
          `another port: npm start -- --api-port ${port + 100} (or COUNTERSIGN_HTTP_PORT).`,
      );
    } finally {
      other.close();
    }
  });

  test('refuses a second start on the same state, naming the first', async () => {
    recordProcess(state.run, 'launcher', process.pid);

    const { output, ended } = launch('--no-sample');

    expect(await ended).toBe(1);
    expect(output()).toContain(`already runs on ${state.root} (process ${process.pid})`);
  });

  test('stops what a killed start has left, and does not touch a process that got its number', async () => {
    const left = await startProcess(state, sleeper('worker'));
    const stranger = await startProcess(state, sleeper('stranger'));
    const record = { name: 'api', pid: stranger.pid, startTime: 'another process' };
    rmSync(join(state.run, 'stranger.json'));
    writeFileSync(join(state.run, 'api.json'), JSON.stringify(record));
    const port = await busyPort();
    try {
      const { output, ended } = launch('--api-port', String(port.number));
      await ended;

      expect(output()).toContain(`Stopping worker (process ${left.pid}), left over`);
      expect(startTimeOf(left.pid)).toBeNull();
      expect(stranger.exit()).toBeNull();
    } finally {
      port.free();
      await stranger.kill();
    }
  });

  test('explains an unknown option', async () => {
    const { output, ended } = launch('--no-such-option');

    expect(await ended).toBe(1);
    expect(output()).toMatch(/^Unknown option '--no-such-option'.*--help" lists the options\.\n$/);
  });

  test('makes the payload keys once, readable by their owner only', () => {
    const file = join(state.keys, 'payload-keys.json');

    expect(ensurePayloadKeys(file)).toBe(true);
    const first = readFileSync(file, 'utf8');
    expect(ensurePayloadKeys(file)).toBe(false);

    expect(readFileSync(file, 'utf8')).toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const ring = JSON.parse(first) as { current: string; keys: Record<string, string> };
    expect(Buffer.from(ring.keys[ring.current] ?? '', 'base64')).toHaveLength(32);
  });

  test('shows the end of the log of a program that ends before it is ready', async () => {
    const child = await startProcess(state, {
      name: 'worker',
      command: process.execPath,
      args: ['-e', 'console.error("no such setting"); process.exit(3)'],
      env: process.env,
    });

    await expect(untilReady(child, () => Promise.resolve(false), 5_000)).rejects.toThrow(
      /worker ended before it was ready \(exit code 3\).*\n {2}worker \| no such setting/,
    );
    expect(findRecorded(state.run, 'worker')).toBeNull();
  });

  test('ends the whole process group of a program that does not stop when asked', async () => {
    const stubborn = await startProcess(state, {
      name: 'worker',
      command: process.execPath,
      args: [
        '-e',
        'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)',
      ],
      env: process.env,
    });
    await within(5_000, () => readFileSync(stubborn.logFile, 'utf8').includes('up'));

    await stubborn.stop(200);

    expect(stubborn.exit()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('takes ports from flags before variables before temporal-dev.yml', () => {
    const stack = readDevStack();
    const environment = { COUNTERSIGN_HTTP_PORT: '4000', COUNTERSIGN_POSTGRES_PORT: '4001' };

    const { ports } = readStartOptions(['--api-port', '5000'], environment, stack);

    expect(ports.api.port).toBe(5000);
    expect(ports.postgres.port).toBe(4001);
    expect(ports.temporal.port).toBe(stack.temporal.port);
    expect(() => readStartOptions(['--ui-port', '70000'], {}, stack)).toThrow('--ui-port must be');
  });

  test('sees which folder keeps other users out', () => {
    const closed = join(folder, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    for (const open of [folder, join(closed, 'inner')]) execFileSync('chmod', ['755', open]);
    execFileSync('chmod', ['700', closed]);

    expect(closedFolderOn(join(closed, 'inner', 'data'))).toBe(closed);
    execFileSync('chmod', ['755', closed]);
    expect(closedFolderOn(join(closed, 'inner', 'data'))).toBeNull();
  });

  test('registers the same search attributes as Docker Compose does', () => {
    const file = readFileSync(join(__dirname, '..', '..', 'temporal-dev.yml'), 'utf8');
    const composed = [...file.matchAll(/--search-attribute=(\w+)=(\w+)/g)].map(
      ([, name, type]) => [name, type] as const,
    );

    expect(Object.fromEntries(composed)).toEqual(readDevStack().temporal.searchAttributes);
  });

  test('finds a free port free', async () => {
    const port = await freePort();
    const choice = { port, what: 'nothing', flag: 'none', variable: 'NONE' };
    await expect(requireFreePort(choice)).resolves.toBeUndefined();
  });
});

const sleeper = (name: string) => ({
  name,
  command: process.execPath,
  args: ['-e', 'setInterval(() => {}, 1000)'],
  env: process.env,
});

async function listen(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function busyPort(): Promise<{ readonly number: number; free(): void }> {
  const server = await listen();
  return { number: (server.address() as AddressInfo).port, free: () => server.close() };
}
