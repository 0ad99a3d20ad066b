import type { ListQuery } from './list-query';

/** How a list is ordered, in SQL. Ties go by ascending id in both directions. @see UT-254, UT-255 */
export interface Sort {
  readonly type: 'bigint' | 'integer' | 'timestamptz' | 'text';
  /** Whether only the task itself holds the value, not the candidate row beside it. */
  readonly onTaskOnly: boolean;
  /** What is sorted by, of the row with this alias. */
  readonly expression: (alias: string) => string;
  readonly order: (expression: string, id: string) => string;
  /** Condition that a row comes after the one with this value and id. */
  readonly after: (expression: string, id: string, value: string, afterId: string) => string;
  /** The value as text, for the cursor. */
  readonly asText: (value: string) => string;
}

/**
 * Instants and priorities are sorted by an ascending value in both directions (the migration says why), the same that is
 * indexed. Titles and changes are sorted as they are.
 */
export function sortOf({ sort, direction }: Pick<ListQuery, 'sort' | 'direction'>): Sort {
  const sign = direction === 'desc' ? -1 : 1;
  switch (sort) {
    case 'created':
      return {
        ...ASCENDING,
        type: 'bigint',
        expression: (alias) => `user_task_order(${alias}.created_at, ${sign})`,
      };
    case 'due':
      return {
        ...ASCENDING,
        type: 'bigint',
        expression: (alias) => `user_task_order(${alias}.due_at, ${sign})`,
      };
    case 'priority':
      return {
        ...ASCENDING,
        type: 'integer',
        expression: (alias) => (sign === 1 ? `${alias}.priority` : `(-${alias}.priority)`),
      };
    case 'title':
      return {
        ...(sign === 1 ? ASCENDING : DESCENDING),
        type: 'text',
        onTaskOnly: true,
        expression: () => 'lower(t.title)',
      };
    case 'updated':
      return {
        ...(sign === 1 ? ASCENDING : DESCENDING),
        type: 'timestamptz',
        onTaskOnly: true,
        expression: () => 't.updated_at',
        asText: (value) => `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
      };
  }
}

const ASCENDING = {
  onTaskOnly: false,
  order: (expression: string, id: string) => `${expression}, ${id}`,
  after: (expression: string, id: string, value: string, afterId: string) =>
    `(${expression}, ${id}) > (${value}, ${afterId})`,
  asText: (value: string) => `${value}::text`,
} as const satisfies Omit<Sort, 'type' | 'expression'>;

const DESCENDING = {
  ...ASCENDING,
  order: (expression: string, id: string) => `${expression} desc, ${id}`,
  after: (expression: string, id: string, value: string, afterId: string) =>
    `${expression} <= ${value} and (${expression} < ${value} or ${id} > ${afterId})`,
} as const satisfies Omit<Sort, 'type' | 'expression'>;
