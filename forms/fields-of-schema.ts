import { isRecord } from '../domain/json';
import type { FormField } from '../domain/user-tasks/form';

/**
 * The fields that a JSON Schema of an object describes, for people who fill it in: label from `title`, else the name.
 * `x-masked` hides a field's value, `x-revealable` lets it be shown one at a time. Other structures give no fields; the
 * schema itself stays the authority.
 */
export function fieldsOfSchema(schema: unknown): readonly FormField[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([key, property]) => {
    const described = isRecord(property) ? property : {};
    const { title, type } = described;
    return {
      key,
      label: typeof title === 'string' ? title : key,
      type: typeof type === 'string' ? type : 'text',
      required: required.includes(key),
      masked: described['x-masked'] === true,
      canReveal: described['x-masked'] === true && described['x-revealable'] === true,
    };
  });
}

/**
 * The fields of several schemas, each key once, the first description kept; but a field that one of them masks is
 * masked, and shown one at a time only if all that mask it allow that.
 */
export function fieldsOfSchemas(schemas: readonly unknown[]): readonly FormField[] {
  const fields = new Map<string, FormField>();
  for (const field of schemas.flatMap((schema) => fieldsOfSchema(schema))) {
    const known = fields.get(field.key);
    fields.set(
      field.key,
      known === undefined ? field : { ...known, ...strictestMask(known, field) },
    );
  }
  return [...fields.values()];
}

function strictestMask(...fields: readonly FormField[]): Pick<FormField, 'masked' | 'canReveal'> {
  const masking = fields.filter(({ masked }) => masked);
  return {
    masked: masking.length > 0,
    canReveal: masking.length > 0 && masking.every(({ canReveal }) => canReveal),
  };
}
