import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, schemaDrift } from '../prisma/migrate';
import { runScript } from './run-script';
import { freePort } from './services/port';
import { startPostgres } from './services/postgres';
import { openStateFolder } from './services/state-folder';

/**
 * `npm run migration:draft`: prints the SQL that would bring the migrations up to schema.prisma,
 * made on a throw-away database. What a Prisma schema cannot express is added by hand.
 */
async function draft(): Promise<void> {
  const state = openStateFolder(join(tmpdir(), `countersign-draft-${process.pid}`));
  const report = (line: string): void => console.error(line);
  const plan = { state, port: await freePort(), throwAway: true, report };
  const postgres = await startPostgres(plan);
  try {
    const url = postgres.urlOf('postgres');
    await migrate(url, { skipUnwritten: true });
    console.log((await schemaDrift(url)) || '-- The migrations agree with schema.prisma.');
  } finally {
    await postgres.process.stop();
    rmSync(state.root, { recursive: true, force: true });
  }
}

runScript(draft);
