import type { Json } from '../../domain/json';
import type { FormStore } from '../../forms/json-schema-provider';

/** A form store in memory. */
export class FormShelf implements FormStore {
  readonly #versions = new Map<string, Readonly<Record<string, Json>>[]>();

  /** Stores the schemas as the next version of the form. */
  publish(tenantId: string, key: string, schemas: Readonly<Record<string, Json>>): void {
    const name = JSON.stringify([tenantId, key]);
    this.#versions.set(name, [...(this.#versions.get(name) ?? []), schemas]);
  }

  find: FormStore['find'] = (tenantId, key, version) => {
    if (version !== null && !Number.isSafeInteger(version)) throw new TypeError('not a version');
    const versions = this.#versions.get(JSON.stringify([tenantId, key])) ?? [];
    const number = version ?? versions.length;
    const schemas = versions[number - 1];
    return Promise.resolve(schemas === undefined ? null : { version: number, schemas });
  };
}
