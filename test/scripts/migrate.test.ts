import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, schemaDrift } from '../../prisma/migrate';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';

describe('migrations', () => {
  let database: TestDatabase;
  let migrationsFolder: string;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    migrationsFolder = mkdtempSync(join(tmpdir(), 'countersign-migrations-'));
    writeFileSync(join(migrationsFolder, 'migration_lock.toml'), 'provider = "postgresql"\n');
    addMigration('20260101000000_begin', 'create table probe (id text primary key);');
  });

  afterEach(async () => {
    rmSync(migrationsFolder, { recursive: true });
    await database.drop();
  });

  function addMigration(name: string, sql: string): void {
    mkdirSync(join(migrationsFolder, name), { recursive: true });
    writeFileSync(join(migrationsFolder, name, 'migration.sql'), sql);
  }

  test('are applied once, in order, and then only what is new', async () => {
    const first = await migrate(database.url, { migrationsFolder });
    const again = await migrate(database.url, { migrationsFolder });
    addMigration('20260102000000_extend', 'alter table probe add column note text;');
    const third = await migrate(database.url, { migrationsFolder });

    expect(first.applied).toEqual(['20260101000000_begin']);
    expect(again.applied).toEqual([]);
    expect(third.applied).toEqual(['20260102000000_extend']);
  });

  test('may be started by two processes at once', async () => {
    const results = await Promise.all([
      migrate(database.url, { migrationsFolder }),
      migrate(database.url, { migrationsFolder }),
    ]);

    expect(results.flatMap((result) => result.applied)).toEqual(['20260101000000_begin']);
  });

  test('that fail are named in one line, at once and at the next start', async () => {
    addMigration('20260103000000_break', 'alter table no_such_table add column note text;');

    await expect(migrate(database.url, { migrationsFolder })).rejects.toThrow(
      /^Migration 20260103000000_break failed: No such table: no_such_table; [^\n]+$/,
    );
    await expect(migrate(database.url, { migrationsFolder })).rejects.toThrow(
      /^Migration 20260103000000_break failed earlier; [^\n]+--rolled-back 20260103000000_break[^\n]+$/,
    );

    addMigration('20260103000000_break', 'alter table probe add column note text;');
    const retried = await migrate(database.url, { migrationsFolder, retryFailed: true });
    expect(retried.applied).toEqual(['20260103000000_break']);
  });

  test('that were changed after they ran are refused', async () => {
    await migrate(database.url, { migrationsFolder });
    addMigration('20260101000000_begin', 'create table other (id text primary key);');

    await expect(migrate(database.url, { migrationsFolder })).rejects.toThrow(
      /^Migration 20260101000000_begin was changed after it had been applied; [^\n]+$/,
    );
  });
});

describe('the Prisma schema', () => {
  test('agrees with what the migrations make', async () => {
    const database = await createTestDatabase();
    try {
      expect(await schemaDrift(database.url)).toBe('');
    } finally {
      await database.drop();
    }
  });
});
