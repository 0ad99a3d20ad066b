import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { compareProjection } from '../../activities/user-tasks/compare-projection';
import { createSnapshotReader } from '../../activities/user-tasks/read-snapshot';
import { createDataConverter } from '../../platform/data-converter';
import { loadKeyRing } from '../../platform/key-ring';
import { createDatabase } from '../../prisma/db';
import { freePort } from '../../scripts/services/port';
import { findRecorded, signal } from '../../scripts/services/process-record';
import { launchStack, type LaunchedStack } from '../harness/launched-stack';
import { runPermits } from '../harness/permits-run';
import { within } from '../harness/within';

const START_MS = 120_000;
const RUN_MS = 420_000;
const CASES = 24;
const VICTIMS = [
  'worker',
  'api',
  'postgres',
  'temporal',
  'worker',
  'api',
  'temporal',
  'postgres',
] as const;

/** A log of permit cases of its own: four activities each, by people of two groups and by persons alone. */
function permitLog(): string {
  const header =
    'case:channel,case:concept:name,case:deadline,case:department,case:enddate,case:enddate_planned,case:group,case:responsible,case:startdate,concept:instance,concept:name,lifecycle:transition,org:group,org:resource,time:timestamp';
  const rows = Array.from({ length: CASES }, (_, index) => index).flatMap((index) =>
    ['Receive', 'Check', 'Decide', 'Send'].map((activity, step) => {
      const group = step === 2 ? 'EMPTY' : `Group ${1 + ((index + step) % 2)}`;
      const person = step === 2 ? 'head' : `${group} clerk ${1 + (index % 3)}`;
      const time = `2026-01-${String(1 + (index % 28)).padStart(2, '0')} 0${step + 1}:00:00.000000+01:00`;
      return `Internet,case-${index},,General,,,G,R,${time},task-${index}-${step},${activity},complete,${group},${person},${time}`;
    }),
  );
  return [header, ...rows, ''].join('\n');
}

describe('permit cases while everything is killed in turn', () => {
  let root: string;
  let stack: LaunchedStack | null = null;
  const ports: Record<string, number> = {};

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'countersign-chaos-'));
    for (const name of ['api', 'worker', 'temporal', 'ui', 'postgres'])
      ports[name] = await freePort();
    const flags = Object.entries(ports).flatMap(([name, port]) => [`--${name}-port`, String(port)]);
    const started = launchStack(root, ['--no-sample', ...flags]);
    stack = started;
    await within(
      START_MS,
      () => started.output().includes('Countersign is running.') || started.child.exitCode !== null,
    );
  }, START_MS + 10_000);

  afterAll(async () => {
    stack?.child.kill('SIGINT');
    await stack?.ended;
    rmSync(root, { recursive: true, force: true });
  }, 60_000);

  it(
    'go through once, by their people, in order, and rows equal workflows (UT-146, UT-151, UT-266, UT-280, UT-378)',
    async () => {
      const log = join(root, 'log.csv');
      writeFileSync(log, permitLog());
      const run = runPermits(root, log, {
        api: ports['api'] ?? 0,
        temporal: ports['temporal'] ?? 0,
      });
      for (const name of VICTIMS) {
        await sleep(2_000 + Math.random() * 4_000);
        if (run.exitCode() !== null) break;
        const record = findRecorded(join(root, 'run'), name);
        if (record !== null) signal(record.pid, 'SIGKILL');
      }
      const code = await run.ended;
      expect(run.output()).toContain('agree with the log.');
      expect(code).toBe(0);
      expect(await differences(root, ports)).toEqual([]);
    },
    RUN_MS,
  );
});

/** Compares until the last projections have arrived, but gives up on what stays different. */
async function differences(
  root: string,
  ports: Record<string, number>,
): Promise<readonly unknown[]> {
  const dataConverter = createDataConverter(loadKeyRing(join(root, 'keys', 'payload-keys.json')));
  const connection = await Connection.connect({ address: `127.0.0.1:${ports['temporal'] ?? 0}` });
  const client = new Client({ connection, dataConverter });
  const stackFile = JSON.parse(readFileSync(join(root, 'stack.json'), 'utf8')) as {
    readonly DATABASE_URL: string;
  };
  const database = createDatabase(stackFile.DATABASE_URL);
  let found: readonly unknown[] = [];
  try {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const pending = await database.userTaskOperation.count({ where: { status: 'Pending' } });
      const compared = await compareProjection(database, client, createSnapshotReader(client), {
        closed: true,
      });
      expect(compared.rows).toBe(CASES * 4);
      found = [
        ...compared.differences,
        ...(pending > 0 ? [`${pending} operations are pending`] : []),
      ];
      if (found.length === 0) break;
      await sleep(3_000);
    }
    return found;
  } finally {
    await database.$disconnect();
    await connection.close();
  }
}
