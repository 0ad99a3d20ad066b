import { isRecord, type Json } from '../domain/json';
import type { PrismaClient } from '../prisma/generated/client';
import type { FormStore } from './json-schema-provider';
import { validateData } from './validate-data';

/** Forms in the database. */
export function databaseFormStore(database: PrismaClient): FormStore {
  return {
    find: async (tenantId, key, version) => {
      const row = await database.userTaskForm.findFirst({
        where: { tenantId, key, ...(version === null ? {} : { version }) },
        orderBy: { version: 'desc' },
      });
      return row === null
        ? null
        : { version: row.version, schemas: row.schemas as Readonly<Record<string, Json>> };
    },
  };
}

/**
 * Publishes a form: stores it as the next version of its key. Tasks that have pinned an earlier one keep it.
 * @param schemas - a JSON Schema for each action key, or one for all under `*`
 * @returns the version
 * @throws {Error} when a schema cannot be read
 * @see UT-086
 */
export async function publishForm(
  database: PrismaClient,
  tenantId: string,
  key: string,
  schemas: Readonly<Record<string, Json>>,
): Promise<number> {
  for (const [action, schema] of Object.entries(schemas)) {
    const probe = isRecord(schema) ? validateData(schema, {}) : null;
    if (probe === null || ('code' in probe && probe.code === 'form-resolution-failed')) {
      throw new Error(`the schema of "${action}" cannot be read`);
    }
  }
  return database.$transaction(async (transaction) => {
    // One publisher at a time for each form, so that versions have no gaps and none is written twice.
    await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`form:${tenantId}:${key}`}, 0))`;
    const newest = await transaction.userTaskForm.aggregate({
      where: { tenantId, key },
      _max: { version: true },
    });
    const version = (newest._max.version ?? 0) + 1;
    await transaction.userTaskForm.create({ data: { tenantId, key, version, schemas } });
    return version;
  });
}
