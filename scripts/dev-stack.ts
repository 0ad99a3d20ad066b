import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LaunchError, lineOf } from './launch-error';
import { projectFolder } from './services/state-folder';

const port = z.int().min(1).max(65_535);
const searchAttributeType = z.enum([
  'Text',
  'Keyword',
  'Int',
  'Double',
  'Bool',
  'Datetime',
  'KeywordList',
]);
const stackSchema = z.strictObject({
  http: z.strictObject({ host: z.string(), port }),
  worker: z.strictObject({ healthPort: port, taskQueue: z.string().min(1) }),
  postgres: z.strictObject({ port, database: z.string().min(1) }),
  temporal: z.strictObject({
    port,
    uiPort: port,
    namespace: z.string().min(1),
    codecPath: z.string().startsWith('/').nullable(),
    retentionDays: z.int().positive(),
    cliVersion: z.string().startsWith('v'),
    searchAttributes: z.record(z.string(), searchAttributeType),
  }),
});

/** What temporal-dev.yml says about the stack, for Docker Compose and the launcher alike. */
export type DevStack = z.infer<typeof stackSchema>;

/** Types of search attributes, as Temporal's command line names them. */
export type SearchAttributeTypeName = z.infer<typeof searchAttributeType>;

/** @throws {LaunchError} in one line when the file is unreadable or incomplete */
export function readDevStack(file = join(projectFolder, 'temporal-dev.yml')): DevStack {
  try {
    const document = z
      .object({ 'x-countersign': stackSchema })
      .parse(parse(readFileSync(file, 'utf8'), { merge: true }));
    return document['x-countersign'];
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join('.') ?? ''}: ${error.issues[0]?.message ?? ''}`
        : lineOf(error);
    throw new LaunchError(`${file} cannot be used: ${reason}; correct its section x-countersign.`, {
      cause: error,
    });
  }
}
