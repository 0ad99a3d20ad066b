type ParameterType = 'integer' | 'bigint' | 'text' | 'text[]' | 'timestamptz';

/** Collects the values of a statement while its text is put together. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value; answers how the statement refers to it. */
  add(value: unknown, type: ParameterType): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
