import { keepRunning } from './keep-running';
import { ensureDatabase, requireDatabase, startPostgres } from './services/postgres';
import { withProgress } from './services/progress';
import type { Launch } from './launch';
import { setting } from './setting';

/** @returns connection string of the database: DATABASE_URL's, or one on the PostgreSQL that comes along */
export async function startDatabase(launch: Launch): Promise<string> {
  const { state, stack, options, lifecycle, report } = launch;
  const given = setting('DATABASE_URL');
  if (given !== undefined) {
    await requireDatabase(given);
    return given;
  }
  report('Starting PostgreSQL.');
  const { port } = options.ports.postgres;
  const begin = () => startPostgres({ state, port, throwAway: false, report });
  const postgres = await withProgress(report, 'starting PostgreSQL', begin());
  void keepRunning(lifecycle, postgres.process, async () => (await begin()).process, report);
  await ensureDatabase(postgres.urlOf('postgres'), stack.postgres.database);
  return postgres.urlOf(stack.postgres.database);
}
