import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRecorded, signal, startTimeOf } from '../../scripts/services/process-record';
import { freePort } from '../../scripts/services/port';
import { launchStack, type LaunchedStack } from '../harness/launched-stack';
import { within } from '../harness/within';

const patienceMs = 120_000;
const programs = ['api', 'worker', 'temporal', 'postgres'];

describe('npm start', () => {
  let root: string;
  let flags: string[];
  let apiPort: number;
  let stack: LaunchedStack | null;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'countersign-start-'));
    stack = null;
    apiPort = await freePort();
    flags = ['--no-sample', '--api-port', String(apiPort)];
    for (const name of ['worker', 'temporal', 'ui', 'postgres']) {
      flags.push(`--${name}-port`, String(await freePort()));
    }
  });

  afterEach(async () => {
    stack?.child.kill('SIGINT');
    await stack?.ended;
    rmSync(root, { recursive: true, force: true });
  });

  /** Starts it and waits for the summary. */
  async function start(): Promise<LaunchedStack> {
    const started = launchStack(root, flags);
    stack = started;
    await within(patienceMs, () => {
      if (started.child.exitCode !== null) return true;
      return started.output().includes('Countersign is running.');
    });
    return started;
  }

  const pidOf = (name: string): number => {
    const record = findRecorded(join(root, 'run'), name);
    if (record === null) throw new Error(`${name} does not run`);
    return record.pid;
  };

  test(
    'brings up the stack, revives what dies, stops all of it on Ctrl-C and keeps the state',
    async () => {
      const first = await start();
      expect(first.output()).toContain(`http://127.0.0.1:${apiPort}`);
      const ready = await fetch(`http://127.0.0.1:${apiPort}/readyz`);
      expect(ready.status).toBe(200);

      const killed = pidOf('worker');
      signal(killed, 'SIGKILL');
      await within(patienceMs, () => first.output().includes('worker runs again.'));
      expect(pidOf('worker')).not.toBe(killed);

      const pids = programs.map(pidOf);
      first.child.kill('SIGINT');
      expect(await first.ended).toBe(130);
      expect(pids.map(startTimeOf)).toEqual(pids.map(() => null));
      expect(readdirSync(join(root, 'run')).filter((name) => name.endsWith('.json'))).toEqual([]);

      const keys = readFileSync(join(root, 'keys', 'payload-keys.json'), 'utf8');
      const second = await start();
      expect(second.output()).not.toContain('Database migrated');
      expect(readFileSync(join(root, 'keys', 'payload-keys.json'), 'utf8')).toBe(keys);
    },
    2 * patienceMs,
  );
});
