import { isRecord, type Json } from '../domain/json';
import type { ActionDefinition } from '../domain/user-tasks/action';
import { isRejection } from '../domain/user-tasks/definition';
import type { FormReference, PinnedForm } from '../domain/user-tasks/form';
import { fieldsOfSchemas } from './fields-of-schema';
import type { FormProvider } from './form-provider';
import { normaliseData } from './validate-data';

/**
 * A stored form: a JSON Schema (2020-12) for each action, or one for all under `*`. A version never changes once it is
 * published.
 */
export interface StoredForm {
  readonly version: number;
  readonly schemas: Readonly<Record<string, Json>>;
}

/** Where the provider's forms are kept. */
export interface FormStore {
  /** The form in this version, or in its newest for null; null when there is none. */
  find(tenantId: string, key: string, version: number | null): Promise<StoredForm | null>;
}

/** Name under which stored JSON Schema forms are asked for. */
export const JSON_SCHEMA_PROVIDER = 'json-schema';

/**
 * Forms whose JSON Schemas are stored in versions. A reference names a version by `version`, or by `binding`
 * (`version:3`, `latest`); without either the newest is pinned.
 * @see UT-086, UT-089
 */
export function jsonSchemaProvider(store: FormStore, name = JSON_SCHEMA_PROVIDER): FormProvider {
  return {
    name,
    resolve: async (tenantId, reference) => {
      const version = versionOf(reference);
      if (version === 'unreadable') return null;
      const form = await store.find(tenantId, reference.key, version);
      return form === null ? null : pinned(reference, form);
    },
    validateAndNormalize: async (tenantId, form, actionKey, data) => {
      const stored = await store.find(tenantId, form.requested.key, Number(form.pinnedVersion));
      if (stored === null)
        throw new Error(`version ${form.pinnedVersion} of form ${form.requested.key} is gone`);
      const named = Object.hasOwn(stored.schemas, actionKey) ? stored.schemas[actionKey] : null;
      const schema = named ?? stored.schemas['*'] ?? NO_DATA;
      const validated = normaliseData(schema as ActionDefinition['schema'], data);
      return isRejection(validated)
        ? {
            succeeded: false,
            errors: validated.errors ?? [{ pointer: '/data', detail: validated.detail }],
          }
        : { succeeded: true, normalizedData: validated.data };
    },
  };
}

/** An action that the form does not mention takes an empty object. */
const NO_DATA = { type: 'object', maxProperties: 0 };

function pinned(requested: FormReference, form: StoredForm): PinnedForm {
  return {
    requested,
    pinnedVersion: String(form.version),
    metadata: { schemas: form.schemas },
    fields: fieldsOfSchemas(Object.values(form.schemas).filter(isRecord)),
  };
}

function versionOf({ version, binding }: FormReference): number | null | 'unreadable' {
  const text =
    version ?? (binding === null || binding === 'latest' ? null : binding.replace(/^version:/, ''));
  if (text === null) return null;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 'unreadable';
}
