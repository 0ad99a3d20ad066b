import { readFileSync } from 'node:fs';
import { isJson, isRecord, type Json } from '../domain/json';
import { publishForm } from '../forms/form-store';
import { LaunchError, lineOf } from './launch-error';
import { runOperator } from './operator';

const usage =
  'npm run forms:publish -- KEY FILE [TENANT], where FILE holds { "<action key or *>": JSON Schema }';

/** `npm run forms:publish -- KEY FILE [TENANT]`: publishes the next version of a form. Open tasks keep theirs. */
runOperator(async ({ config, database, args, report }) => {
  const [key = '', file = '', tenantId = config.COUNTERSIGN_DEFAULT_TENANT] = args;
  if (key === '' || file === '') throw new LaunchError(usage);
  const version = await publishForm(database, tenantId, key, readSchemas(file));
  report(`Published version ${version} of form "${key}".`);
});

function readSchemas(file: string): Readonly<Record<string, Json>> {
  let schemas: unknown;
  try {
    schemas = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new LaunchError(`${file} cannot be read: ${lineOf(error)}`, { cause: error });
  }
  if (!isRecord(schemas) || !isJson(schemas))
    throw new LaunchError(`${file} holds no schemas. ${usage}`);
  return schemas;
}
