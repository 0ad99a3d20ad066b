import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LaunchError } from './launch-error';
import type { Report } from './services/progress';
import { runToEnd } from './services/run-to-end';
import { projectFolder } from './services/state-folder';
import { setting } from './setting';

/**
 * Generates the Prisma client when the schema, or Prisma itself, has changed since the last time.
 * @throws {LaunchError} with what Prisma says when the schema is not valid
 */
export async function ensureClient(report: Report): Promise<void> {
  const schema = readFileSync(join(projectFolder, 'prisma', 'schema.prisma'));
  const cli = dirname(require.resolve('prisma/package.json'));
  const version = readFileSync(join(cli, 'package.json'));
  const wanted = createHash('sha256').update(schema).update(version).digest('hex');
  const stamp = join(projectFolder, 'prisma', 'generated', '.generated-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  report('Generating the database client.');
  const result = await runToEnd(process.execPath, [join(cli, 'build', 'index.js'), 'generate'], {
    cwd: projectFolder,
    env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1', ...engine() },
  });
  if (result.code !== 0) {
    throw new LaunchError(
      `prisma/schema.prisma cannot be used; correct it:\n${result.output.trim()}`,
    );
  }
  writeFileSync(stamp, wanted);
}

/**
 * The command line insists on an engine binary that npm may not have been allowed to download, and
 * never runs it to generate a client; any program will do.
 */
function engine(): NodeJS.ProcessEnv {
  if (setting('PRISMA_SCHEMA_ENGINE_BINARY') !== undefined) return {};
  const folder = dirname(require.resolve('@prisma/engines/package.json'));
  const present = readdirSync(folder).some((name) => name.startsWith('schema-engine'));
  return present ? {} : { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
}
