import { toJSONSchema, type $ZodType, type $ZodTypeDef } from 'zod/v4/core';
import { isJson, isRecord, type Json } from '../domain/json';

/** JSON Schema (2020-12) as an action of a task carries it. */
export type FormSchema = Readonly<Record<string, Json>>;

/**
 * Kinds whose answer JSON Schema cannot promise: the data arrives as JSON that was checked by the task's server, and no
 * code of the schema runs on it. `pipe` stands for transforms, preprocessing and codecs.
 */
const REFUSED: readonly $ZodTypeDef['type'][] = [
  ...(['transform', 'pipe', 'catch', 'success', 'promise', 'file', 'date', 'bigint'] as const),
];

/**
 * The JSON Schema by which a task checks the data of an action.
 *
 * What JSON Schema has no word for is refused here, when the definition is made, and not in front of the person who
 * fills in the form. Refinements (`refine`, `check`) and texts changed by `trim` or `toLowerCase` are neither refused
 * nor enforced.
 *
 * @param subject - names the schema in the error, for example `action approve`
 * @throws {TypeError} for transforms, codecs, `catch`, dates, bigint, maps, sets, files and other values that are no JSON
 */
export function formSchemaOf(schema: $ZodType, subject: string): FormSchema {
  const converted: unknown = toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: ({ path, message }) => {
      throw new TypeError(`${subject}: ${message} (at ${pointer(path)}).`);
    },
    override: ({ zodSchema, path }) => {
      const { type } = zodSchema._zod.def;
      if (REFUSED.includes(type)) throw new TypeError(refusal(subject, type, path));
    },
  });
  // Through text, so that no property is left that JSON does not carry.
  const plain: unknown = JSON.parse(JSON.stringify(converted));
  if (!isRecord(plain) || !isJson(plain))
    throw new TypeError(`${subject}: the schema is no JSON Schema.`);
  return plain;
}

function refusal(subject: string, type: string, path: readonly (string | number)[]): string {
  const kind = type === 'pipe' ? 'A transform, codec or pipe' : `The zod type ${type}`;
  return `${subject}: ${kind} cannot be represented in JSON Schema (at ${pointer(path)}).`;
}

function pointer(path: readonly (string | number)[]): string {
  return path.length === 0 ? 'the top' : `/${path.join('/')}`;
}
