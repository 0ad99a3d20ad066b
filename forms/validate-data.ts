import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { canonicalJson, isRecord, jsonBytes, type Json } from '../domain/json';
import type { ActionDefinition } from '../domain/user-tasks/action';
import { MAXIMUM_PAYLOAD_BYTES } from '../domain/user-tasks/limits';
import { rejection, type FieldError, type Rejection } from '../domain/user-tasks/rejection';

/** What became of submitted data: the normalised form, or the refusal that says where it is wrong. */
export type ValidatedData = { readonly data: Json } | Rejection;

const ajv = addFormats(
  new Ajv2020({ allErrors: true, useDefaults: true, strict: false, validateFormats: true }),
);

/** Compiled schemas by their canonical text; bounded, because every task may bring its own. */
const compiled = new Map<string, ValidateFunction>();
const COMPILED_LIMIT = 500;

/** Errors shown at most: a person reads a few, and a hostile document could make thousands. */
const SHOWN_ERRORS = 50;

/**
 * Validates data against an action's schema and fills in the schema's defaults. Missing data counts as `{}` (UT-089).
 * Nothing is coerced. Error texts name places and rules, never values.
 * @returns `form-invalid` with pointers into `data`, `payload-too-large` when defaults made it too big, or
 * `form-resolution-failed` when the schema itself cannot be read
 * @see UT-089..092
 */
export function validateData(schema: ActionDefinition['schema'], data: Json): ValidatedData {
  const normalised = normaliseData(schema, data);
  return 'data' in normalised ? withinLimit(normalised.data) : normalised;
}

/** The same without regard to the size of what defaults made of it. */
export function normaliseData(schema: ActionDefinition['schema'], data: Json): ValidatedData {
  if (schema === null) return { data };
  let validate: ValidateFunction;
  try {
    validate = compile(schema);
  } catch {
    return rejection('form-resolution-failed', 'The form of this action cannot be read.');
  }
  const normalised = structuredClone(data ?? {}) as Json;
  if (!validate(normalised))
    return rejection(
      'form-invalid',
      'The data does not fit the form.',
      fieldErrors(validate.errors ?? []),
    );
  return { data: normalised };
}

/** Normalised data, unless it exceeds the payload limit. @see UT-092 */
export function withinLimit(data: Json): ValidatedData {
  if (jsonBytes(data) <= MAXIMUM_PAYLOAD_BYTES) return { data };
  return rejection('payload-too-large', `data must not exceed ${MAXIMUM_PAYLOAD_BYTES} bytes.`, [
    { pointer: '/data', detail: 'is too large' },
  ]);
}

function compile(schema: NonNullable<ActionDefinition['schema']>): ValidateFunction {
  const key = canonicalJson(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const { $id: _id, ...anonymous } = isRecord(schema) ? schema : { $id: undefined, not: {} };
  // Two schemas may carry one `$id`; ours are told apart by content.
  const validate = ajv.compile(typeof schema === 'boolean' ? schema : anonymous);
  const oldest = compiled.keys().next();
  if (compiled.size >= COMPILED_LIMIT && oldest.done !== true) compiled.delete(oldest.value);
  compiled.set(key, validate);
  return validate;
}

function fieldErrors(errors: readonly ErrorObject[]): readonly FieldError[] {
  return errors
    .slice(0, SHOWN_ERRORS)
    .map((error) => ({ pointer: `/data${pointerOf(error)}`, detail: error.message ?? 'is wrong' }));
}

/** Points at the member that is missing, not at the object that lacks it. */
function pointerOf(error: ErrorObject): string {
  const missing: unknown = error.params['missingProperty'];
  return typeof missing === 'string'
    ? `${error.instancePath}/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`
    : error.instancePath;
}
