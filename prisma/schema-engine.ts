import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

/** Node has it, but the compiler knows it only together with the browser's other names. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ readonly instance: { readonly exports: Record<string, unknown> } }>;
};

/** The engine looks here for someone to tell why it gives up. */
const panics = {
  message: '',
  set_message(message: string): void {
    this.message = message;
  },
};

let loaded: Promise<void> | undefined;

/**
 * Runs `use` with Prisma's schema engine, the same one that the Prisma command line carries, but
 * as WebAssembly: it needs no binary that npm would have to download after the install.
 * @param schema - text of schema.prisma, or null where only the migrations folder matters
 */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  schema: string | null,
  use: (schemaEngine: engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= loadEngine();
  await loaded;
  // One connection: the engine takes a lock that belongs to the session and leaves its release to
  // the end of the connection, which a pool would put off by its idle time.
  const pool = new CatalogPool({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    max: 1,
    application_name: 'countersign migrate',
  });
  const adapter = bindMigrationAwareSqlAdapterFactory(new CatalogPg(pool));
  const datamodels: [string, string][] | undefined =
    schema === null ? undefined : [['schema.prisma', schema]];
  const ignoreLog = (): void => undefined;
  const schemaEngine = await engine.SchemaEngine.new({ datamodels }, ignoreLog, adapter);
  try {
    return await use(schemaEngine);
  } catch (error) {
    if (panics.message === '') throw error;
    throw new Error(`The schema engine gave up: ${panics.message}`, { cause: error });
  } finally {
    schemaEngine.free();
    await pool.end();
  }
}

/**
 * The engine reads columns of PostgreSQL's internal type "char" from the catalogue, which the
 * adapter refuses because no model can have them. They pass it under the name of their array type,
 * which the engine never reads, and get their own name back behind it.
 */
class CatalogPg extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    // The adapter cuts a script at every semicolon, also within a function's body. Sent whole, PostgreSQL reads it
    // itself, and runs it in one transaction.
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    return adapter;
  }
}

class CatalogPool extends pg.Pool {
  override async query(...args: unknown[]): Promise<never> {
    const query = super.query.bind(this) as (...given: unknown[]) => Promise<pg.QueryResult>;
    const result = await query(...args);
    // A script of several statements answers with a list of results, of which none is read.
    for (const field of Array.isArray(result) ? [] : result.fields) {
      if (field.dataTypeID === internalChar) field.dataTypeID = internalCharArray;
    }
    return result as never;
  }
}
const internalChar = 18;
const internalCharArray = 1002;

/** Node 20 cannot import `.wasm` as a module, so what a bundler would do is done here. */
async function loadEngine(): Promise<void> {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panics });
  const folder = dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const imports = Object.entries<unknown>(engine).map(([name, value]): [string, unknown] =>
    // Its timers only limit how long it waits for a lock, yet would keep the process alive.
    name.startsWith('__wbg_setTimeout') ? [name, setPassiveTimeout] : [name, value],
  );
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': Object.fromEntries(imports),
  });
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
}

function setPassiveTimeout(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, ms).unref();
}
