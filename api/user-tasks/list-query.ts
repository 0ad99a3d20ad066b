import { z } from 'zod';
import { parseInstant, type Instant } from '../../domain/instant';
import { TASK_STATUSES, type TaskStatus } from '../../domain/user-tasks/task';
import { text } from './command-schema';
import { decodeCursor, type ListCursor } from './list-cursor';

export const LIST_SCOPES = ['available', 'assigned', 'history', 'all', 'needs-attention'] as const;
export type ListScope = (typeof LIST_SCOPES)[number];

/** Scopes that managers alone may use. @see UT-214, UT-215 */
export const MANAGER_SCOPES: readonly ListScope[] = ['all', 'needs-attention'];

export const LIST_SORTS = ['created', 'due', 'priority', 'title', 'updated'] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export const LIST_DUE = ['overdue', 'today', 'thisWeek', 'noDueDate'] as const;

export const DEFAULT_LIMIT = 50;
export const MAXIMUM_LIMIT = 200;
const MAXIMUM_FILTER = 500;

/** What narrows a list; null does not. */
export interface ListFilters {
  readonly statuses: readonly TaskStatus[] | null;
  readonly priorityFrom: number | null;
  readonly priorityTo: number | null;
  readonly due: (typeof LIST_DUE)[number] | null;
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly workflowDefinitionId: string | null;
  readonly workflowInstanceId: string | null;
  readonly reference: string | null;
  readonly taskType: string | null;
  readonly search: string | null;
}

/** One page of a list, as asked for. @see UT-248 */
export interface ListQuery {
  readonly scope: ListScope;
  readonly sort: ListSort;
  readonly direction: 'asc' | 'desc';
  /** 1 to 200. */
  readonly limit: number;
  /** The last row of the page before, or null for the first page. */
  readonly cursor: ListCursor | null;
  readonly filters: ListFilters;
  readonly includeTotalCount: boolean;
}

const many = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (Array.isArray(given) ? given : [given]));
/** What the document says of a parameter that is read more leniently than it should be sent. */
function documented(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema['anyOf'];
      Object.assign(jsonSchema, schema);
    },
  };
}

const first = many.transform((given) => given[0] ?? '');

/** A query parameter; of one given twice the first counts. */
export const one = first.meta(documented({ type: 'string' }));

const integer = first
  .transform((given, context) => {
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (Number.isSafeInteger(value)) return Math.min(Math.max(value, -1), 101);
    context.addIssue({ code: 'custom', message: 'must be an integer' });
    return z.NEVER;
  })
  .meta(documented({ type: 'integer' }));

const instant = first
  .transform((given, context): Instant => {
    // A plus that was not encoded arrives as a space.
    const read = parseInstant(given.replace(/ (\d\d:\d\d)$/, '+$1'));
    if (read !== null && !read.startsWith('0000')) return read;
    context.addIssue({ code: 'custom', message: 'must be a timestamp with an offset (RFC 3339)' });
    return z.NEVER;
  })
  .meta(documented({ type: 'string', format: 'date-time' }));

const filter = first
  .pipe(text(MAXIMUM_FILTER))
  .meta(documented({ type: 'string', maxLength: MAXIMUM_FILTER }));

/** The query parameters of the list. Unknown values of enumerations mean their default; unknown parameters nothing. */
export const listParameters = z.object({
  scope: one.optional().meta({
    description: `One of ${LIST_SCOPES.join(', ')}; \`assigned\` unless given. \`all\` and \`needs-attention\` are for managers.`,
  }),
  sort: one
    .optional()
    .meta({ description: `One of ${LIST_SORTS.join(', ')}; \`created\` unless given.` }),
  direction: one.optional().meta({
    description:
      '`desc`, or else ascending. Ties go by ascending id, tasks without due date last, in both.',
  }),
  limit: one.optional().meta({
    description: `Rows of a page, ${DEFAULT_LIMIT} unless given, at most ${MAXIMUM_LIMIT}.`,
  }),
  cursor: one.optional().meta({
    description: '`nextCursor` of the page before, for the same scope, sort and direction.',
  }),
  status: many.optional().meta({ description: 'Statuses, repeatable.' }),
  priorityFrom: integer.optional().meta({ description: 'Least priority.' }),
  priorityTo: integer.optional().meta({ description: 'Greatest priority.' }),
  due: one
    .optional()
    .meta({ description: `One of ${LIST_DUE.join(', ')}; overrides \`from\` and \`to\`.` }),
  from: instant.optional().meta({ description: 'Earliest due date, RFC 3339.' }),
  to: instant.optional().meta({ description: 'Latest due date, RFC 3339.' }),
  workflowDefinitionId: filter.optional().meta({ description: 'Exactly this one.' }),
  workflowInstanceId: filter.optional().meta({ description: 'Exactly this one.' }),
  reference: filter.optional().meta({ description: 'Exactly this one, in any case.' }),
  taskType: filter.optional().meta({ description: 'Exactly this one, in any case.' }),
  search: filter.optional().meta({
    description:
      'Part of a title, summary, reference, type, tag, workflow label or requester, in any case.',
  }),
  includeTotalCount: one
    .optional()
    .meta({ description: '`true` counts all that the query finds.' }),
});

/** The page that the parameters ask for. @see UT-249..257 */
export function listQueryOf(given: z.output<typeof listParameters>): ListQuery {
  const scope = scopeOf(given.scope);
  const sort = LIST_SORTS.find((known) => known === given.sort) ?? 'created';
  const direction = given.direction?.toLowerCase() === 'desc' ? 'desc' : 'asc';
  const due = LIST_DUE.find((known) => known.toLowerCase() === given.due?.toLowerCase()) ?? null;
  return {
    scope,
    sort,
    direction,
    limit: limitOf(given.limit, DEFAULT_LIMIT, MAXIMUM_LIMIT),
    cursor: decodeCursor(given.cursor, { scope, sort, direction }),
    filters: {
      statuses: statusesOf(given.status ?? []),
      priorityFrom: given.priorityFrom ?? null,
      priorityTo: given.priorityTo ?? null,
      due,
      from: due === null ? (given.from ?? null) : null,
      to: due === null ? (given.to ?? null) : null,
      workflowDefinitionId: given.workflowDefinitionId ?? null,
      workflowInstanceId: given.workflowInstanceId ?? null,
      reference: given.reference ?? null,
      taskType: given.taskType ?? null,
      search: blankToNull(given.search?.trim()),
    },
    includeTotalCount: given.includeTotalCount?.toLowerCase() === 'true',
  };
}

/** @see UT-249 */
export function limitOf(given: string | undefined, standard: number, maximum: number): number {
  const limit = Number(given ?? '');
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, maximum) : standard;
}

/** @see UT-215 */
function scopeOf(given: string | undefined): ListScope {
  if (given === 'needsAttention') return 'needs-attention';
  return LIST_SCOPES.find((known) => known === given) ?? 'assigned';
}

/** @see UT-250 */
function statusesOf(given: readonly string[]): readonly TaskStatus[] | null {
  const wanted = new Set(given.map((status) => status.toLowerCase()));
  const known = TASK_STATUSES.filter((status) => wanted.has(status.toLowerCase()));
  return known.length === 0 ? null : known;
}

function blankToNull(given: string | undefined): string | null {
  return given === undefined || given === '' ? null : given;
}
