import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type {
  MigrationList,
  SchemaEngine,
  SchemaFilter,
} from '@prisma/schema-engine-wasm/schema_engine_bg';
import { withSchemaEngine } from './schema-engine';

/** Where the schema and its migrations lie; tests name folders of their own. */
export interface MigrationSource {
  /** Folder of the Prisma command line's migrations. Default `prisma/migrations`. */
  readonly migrationsFolder?: string;
  /** Path of the Prisma schema. Default `prisma/schema.prisma`. */
  readonly schemaFile?: string;
  /** Tries migrations again that failed earlier; their mistake must be corrected. Default false. */
  readonly retryFailed?: boolean;
  /** Leaves out folders whose migration.sql is still to be written. Default false. */
  readonly skipUnwritten?: boolean;
}

/** A migration that stopped half way, or a history that does not fit the folder. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

const everything: SchemaFilter = { externalTables: [], externalEnums: [] };

/**
 * Brings the database up to the migrations folder. Repeating it changes nothing; two processes that
 * do it at once wait for each other. Keeps the same `_prisma_migrations` table as
 * `prisma migrate deploy`, so either may follow the other.
 * @returns names of the migrations that this call applied, in order
 * @throws {MigrationError} in one line that names the migration and the way out
 */
export async function migrate(
  databaseUrl: string,
  source: MigrationSource = {},
): Promise<{ readonly applied: string[] }> {
  const migrationsList = await readMigrations(source);
  return withSchemaEngine(databaseUrl, null, async (engine) => {
    await refuseBrokenHistory(engine, migrationsList, source.retryFailed ?? false);
    try {
      const result = await engine.applyMigrations({ migrationsList, filters: everything });
      return { applied: result.appliedMigrationNames };
    } catch (error) {
      throw await explain(engine, migrationsList, error);
    }
  });
}

/**
 * Says what the migrated database lacks against schema.prisma, as SQL; empty when they agree. What
 * a Prisma schema cannot express (partial indexes, check constraints) is not compared.
 * @param databaseUrl - a database that has every migration applied
 */
export async function schemaDrift(
  databaseUrl: string,
  source: MigrationSource = {},
): Promise<string> {
  const path = source.schemaFile ?? join(__dirname, 'schema.prisma');
  const content = await readFile(path, 'utf8');
  return withSchemaEngine(databaseUrl, content, async (engine) => {
    const result = await engine.diff({
      // The engine connects through its adapter; the schema here only says which kind it is.
      from: {
        tag: 'schemaDatasource',
        files: [{ path: 'schema.prisma', content }],
        configDir: dirname(path),
      },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
      script: true,
      exitCode: null,
      filters: everything,
    });
    const sql = (result.stdout ?? '').replaceAll(onlyInMigrations, '').trim();
    return sql === '-- This is an empty migration.' ? '' : sql;
  });
}

/** Indexes that a Prisma schema cannot express look to the engine like ones to be dropped. */
const onlyInMigrations = /-- DropIndex\nDROP INDEX [^\n]*;\n*/g;

async function readMigrations(source: MigrationSource): Promise<MigrationList> {
  const baseDir = source.migrationsFolder ?? join(__dirname, 'migrations');
  const entries = await readdir(baseDir, { withFileTypes: true });
  const isWritten = (name: string): boolean => existsSync(join(baseDir, name, 'migration.sql'));
  const names = entries
    .filter((entry) => entry.isDirectory())
    .filter((entry) => source.skipUnwritten !== true || isWritten(entry.name))
    .map((entry) => entry.name)
    .sort();
  const migrationDirectories = await Promise.all(
    names.map(async (path) => {
      const value = await readFile(join(baseDir, path, 'migration.sql'), 'utf8').catch(() => {
        throw new MigrationError(
          `Migration ${path} has no migration.sql; restore the file or remove the folder.`,
        );
      });
      return {
        path,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } },
      };
    }),
  );
  const lockfile = await readFile(join(baseDir, 'migration_lock.toml'), 'utf8').catch(() => null);
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: lockfile },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

/** Says before anything runs what the engine would otherwise say in its own, longer words. */
async function refuseBrokenHistory(
  engine: SchemaEngine,
  list: MigrationList,
  retryFailed: boolean,
): Promise<void> {
  const found = await engine.diagnoseMigrationHistory({
    migrationsList: list,
    optInToShadowDatabase: false,
    filters: everything,
  });
  const [failed] = found.failedMigrationNames;
  if (failed !== undefined && !retryFailed) {
    throw new MigrationError(`Migration ${failed} failed earlier; ${wayOut(failed)}`);
  }
  for (const migrationName of found.failedMigrationNames) {
    await engine.markMigrationRolledBack({ migrationName });
  }
  const failedNames = found.failedMigrationNames;
  const [edited] = found.editedMigrationNames.filter((name) => !failedNames.includes(name));
  if (edited !== undefined) {
    throw new MigrationError(
      `Migration ${edited} was changed after it had been applied; restore its file and put the ` +
        'change into a new migration.',
    );
  }
}

async function explain(
  engine: SchemaEngine,
  list: MigrationList,
  error: unknown,
): Promise<MigrationError> {
  const history = await engine
    .diagnoseMigrationHistory({
      migrationsList: list,
      optInToShadowDatabase: false,
      filters: everything,
    })
    .catch(() => null);
  const failed = history?.failedMigrationNames[0] ?? 'unknown';
  return new MigrationError(`Migration ${failed} failed: ${reasonOf(error)}; ${wayOut(failed)}`, {
    cause: error,
  });
}

const wayOut = (failed: string): string =>
  'correct it in prisma/migrations, undo in the database what it did already, then run ' +
  `"npm start -- --retry-migration" (or "npx prisma migrate resolve --rolled-back ${failed}").`;

/** The reason out of the engine's report, which takes many lines. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => line !== '' && line !== 'external connector error') ?? 'no reason given'
  );
}
