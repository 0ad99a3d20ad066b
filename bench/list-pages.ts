import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pageStatement } from '../api/user-tasks/list-sql';
import { listQueryOf, type ListQuery } from '../api/user-tasks/list-query';
import { parseTaskId } from '../domain/ids';
import type { Person } from '../domain/user-tasks/actor';
import type { ParticipantReference } from '../domain/user-tasks/participant';
import { createDatabase } from '../prisma/db';
import type { PrismaClient } from '../prisma/generated/client';
import { migrate } from '../prisma/migrate';
import { ensureDatabase, startPostgres } from '../scripts/services/postgres';
import { freePort } from '../scripts/services/port';
import { openStateFolder } from '../scripts/services/state-folder';
import { fillTasks } from './fill-tasks';

/**
 * `npm run bench:lists [-- TASKS]`: reads pages of 20 from a database with a thousand open tasks and from one with a
 * million (or TASKS), first and middle page, for every indexed order, and prints both medians and their ratio.
 */

const FEW = 1_000;
const PAGE = 20;
const RUNS = 30;

const reference = (type: 'user' | 'group', id: string): ParticipantReference => ({
  tenantId: 'bench',
  provider: 'directory',
  type,
  id,
  displayName: null,
});
const groups = [reference('group', 'clerks'), reference('group', 'payable')];
const clerk: Person = {
  kind: 'person',
  subject: reference('user', 'clerk'),
  groups,
  grants: ['user-tasks:view'],
};
const manager: Person = { ...clerk, grants: ['*'] };

const CASES = ['available', 'assigned', 'all'].flatMap((scope) =>
  ['created', 'due', 'priority'].flatMap((sort) =>
    ['asc', 'desc'].map((direction) => ({ scope, sort, direction })),
  ),
);

async function main(): Promise<void> {
  const many = Number(process.argv[2] ?? 1_000_000);
  const root = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const state = openStateFolder(root);
  const server = await startPostgres({ state, port: await freePort(), throwAway: true, report });
  try {
    const few = await filled(server.urlOf('few'), server.urlOf('postgres'), 'few', FEW);
    const lots = await filled(server.urlOf('many'), server.urlOf('postgres'), 'many', many);
    report(`\npage of ${PAGE}, median of ${RUNS} in ms: ${FEW} tasks, ${many} tasks, ratio`);
    for (const given of CASES) {
      for (const place of ['first', 'middle'] as const)
        report(await compared(given, place, few, lots));
    }
    await few.$disconnect();
    await lots.$disconnect();
  } finally {
    await server.process.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

async function filled(
  url: string,
  adminUrl: string,
  name: string,
  count: number,
): Promise<PrismaClient> {
  await ensureDatabase(adminUrl, name);
  await migrate(url);
  const database = createDatabase(url, { statementTimeoutMs: null });
  const filling = { tenantId: 'bench', count, groups, person: clerk.subject };
  await fillTasks(database, filling, (tasks) => report(`filled ${tasks} of ${count}`));
  return database;
}

async function compared(
  given: (typeof CASES)[number],
  place: 'first' | 'middle',
  few: PrismaClient,
  lots: PrismaClient,
): Promise<string> {
  const small = await measured(few, given, place);
  const large = await measured(lots, given, place);
  const name = `${given.scope} ${given.sort} ${given.direction}`.padEnd(26);
  return `${name} ${place.padEnd(6)} ${small.toFixed(2).padStart(7)} ${large.toFixed(2).padStart(7)} ${(large / small).toFixed(2).padStart(6)}`;
}

async function measured(
  database: PrismaClient,
  given: (typeof CASES)[number],
  place: 'first' | 'middle',
): Promise<number> {
  const person = given.scope === 'all' ? manager : clerk;
  const first: ListQuery = listQueryOf({ ...given, limit: String(PAGE) });
  const cursor = place === 'first' ? null : await middleOf(database, person, first);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { sql, parameters } = pageStatement(person, { ...first, cursor }, new Date());
    const start = performance.now();
    await database.$queryRawUnsafe(sql, ...parameters);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

async function middleOf(
  database: PrismaClient,
  person: Person,
  query: ListQuery,
): Promise<ListQuery['cursor']> {
  const { sql, parameters } = pageStatement(person, { ...query, limit: 200 }, new Date());
  const rows = await database.$queryRawUnsafe<{ id: string; value: string }[]>(sql, ...parameters);
  const row = rows.at(-1);
  const taskId = parseTaskId(row?.id);
  return row === undefined || taskId === null ? null : { value: row.value, taskId };
}

function report(line: string): void {
  console.log(line);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
