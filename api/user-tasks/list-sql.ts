import { isManager, type Person } from '../../domain/user-tasks/actor';
import { assertNever } from '../../domain/assert-never';
import { TERMINAL_STATUSES, TRANSITIONAL_STATUSES } from '../../domain/user-tasks/task';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { filterConditions } from './list-filters';
import type { ListQuery } from './list-query';
import { sortOf, type Sort } from './list-sort';
import { SqlParameters } from './sql-parameters';
import { candidateKeys } from '../../prisma/task-relationships';

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A row of a page before its task is read: `value` is its sort value as text. */
export interface ListRow {
  readonly id: string;
  readonly value: string;
}

/** One way in which a task belongs to a scope: walks one index. */
interface Branch {
  readonly from: string;
  /** Of the row that holds the sort values. */
  readonly alias: 't' | 'c';
  readonly id: 't.id' | 'c.task_id';
  readonly conditions: readonly string[];
}

/** The branches of a scope; `perCandidate` repeats its one branch for each `k.key` under which the caller may claim. */
interface Shape {
  readonly perCandidate: boolean;
  readonly branches: readonly Branch[];
}

/**
 * The statement that finds the ids of one page and one row more, in order. Tenant, scope, exclusions and filters all
 * stand in it, so that nothing is taken out afterwards.
 *
 * Each branch walks an index in the order of the page and stops after `limit + 1` rows; only those few are merged. So a
 * page costs the same with a thousand and with a million tasks, for the sorts that have an index.
 * @see UT-255..260
 */
export function pageStatement(person: Person, query: ListQuery, now: Date): Statement {
  const parameters = new SqlParameters();
  const sort = sortOf(query);
  const limit = parameters.add(query.limit + 1, 'integer');
  const shape = shapeOf(person, query, sort, now, parameters);
  const rows = shape.branches.map((branch) => {
    const expression = sort.expression(branch.alias);
    const { cursor } = query;
    const after =
      cursor === null
        ? []
        : [
            sort.after(
              expression,
              branch.id,
              parameters.add(cursor.value, sort.type),
              parameters.add(cursor.taskId, 'text'),
            ),
          ];
    return `select ${branch.id} as id, ${expression} as value
  from ${branch.from}
  where ${[...branch.conditions, ...after].join('\n    and ')}
  order by ${sort.order(expression, branch.id)} limit ${limit}`;
  });
  const sql = `select x.id, ${sort.asText('x.value')} as value
from (${merged(shape, rows, person, parameters, 'x.id, x.value')}) x
order by ${sort.order('x.value', 'x.id')} limit ${limit}`;
  return { sql, parameters: parameters.values };
}

/** The statement that counts all that the query finds, whatever page is shown. @see UT-258 */
export function countStatement(person: Person, query: ListQuery, now: Date): Statement {
  const parameters = new SqlParameters();
  const shape = shapeOf(person, query, sortOf(query), now, parameters);
  const rows = shape.branches.map(
    (branch) =>
      `select ${branch.id} as id from ${branch.from} where ${branch.conditions.join('\n    and ')}`,
  );
  const sql = `select count(*)::integer as count from (${merged(shape, rows, person, parameters, 'x.id')}) x`;
  return { sql, parameters: parameters.values };
}

/** All rows of the branches, each task once: a caller may be a candidate by several groups. */
function merged(
  shape: Shape,
  branches: readonly string[],
  person: Person,
  parameters: SqlParameters,
  columns: string,
): string {
  if (!shape.perCandidate) return branches.map((branch) => `(${branch})`).join('\nunion all\n');
  const keys = parameters.add(candidateKeys(person), 'text[]');
  return `select distinct ${columns} from unnest(${keys}) as k(key) cross join lateral (${branches.join('')}) x`;
}

function shapeOf(
  person: Person,
  query: ListQuery,
  sort: Sort,
  now: Date,
  parameters: SqlParameters,
): Shape {
  const caller: Caller = {
    tenant: parameters.add(person.subject.tenantId, 'text'),
    key: () => parameters.add(participantKeyHash(person.subject), 'text'),
    manager: isManager(person, person.subject.tenantId),
  };
  const filters = filterConditions(query.filters, now, parameters);
  const { scope } = query;
  switch (scope) {
    case 'available':
      return { perCandidate: true, branches: [available(caller, filters, sort)] };
    case 'assigned':
      return { perCandidate: false, branches: [assigned(caller, filters)] };
    case 'history':
      return { perCandidate: false, branches: [history(caller, filters)] };
    case 'all':
      return {
        perCandidate: false,
        branches: [ofTasks('user_tasks t', [`t.tenant_id = ${caller.tenant}`, ...filters])],
      };
    case 'needs-attention':
      return {
        perCandidate: false,
        branches: [
          needsAttention(caller, filters, parameters.add(now.toISOString(), 'timestamptz')),
        ],
      };
    default:
      return assertNever(scope);
  }
}

interface Caller {
  readonly tenant: string;
  /** A function, since a statement must not have parameters that it does not use. */
  readonly key: () => string;
  readonly manager: boolean;
}

function ofTasks(from: string, conditions: readonly string[]): Branch {
  return { from, alias: 't', id: 't.id', conditions };
}

/**
 * What the caller may claim: a candidate row stays `claimable` while its task is open, held by nobody and not blocked. A
 * key has one row for each task, as users and groups differ in key.
 */
function available({ tenant, key }: Caller, filters: readonly string[], sort: Sort): Branch {
  const needsTask = sort.onTaskOnly || filters.length > 0;
  const excluded = `select from user_task_exclusions e
      where e.tenant_id = c.tenant_id and e.task_id = c.task_id and e.participant_key = ${key()}`;
  return {
    from: `user_task_candidates c${needsTask ? ' join user_tasks t on t.tenant_id = c.tenant_id and t.id = c.task_id' : ''}`,
    alias: 'c',
    id: 'c.task_id',
    conditions: [
      `c.tenant_id = ${tenant}`,
      'c.participant_key = k.key',
      'c.claimable',
      `not exists (${excluded})`,
      ...filters,
    ],
  };
}

/** What the caller holds; blocked tasks are for managers. @see UT-215, UT-216 */
function assigned({ tenant, key, manager }: Caller, filters: readonly string[]): Branch {
  const visible = manager ? [] : ['not t.blocked'];
  return ofTasks('user_tasks t', [
    `t.tenant_id = ${tenant}`,
    `t.assignee_key = ${key()}`,
    't.completed_at is null',
    ...visible,
    ...filters,
  ]);
}

/** Closed tasks on which the caller had a part. */
function history({ tenant, key, manager }: Caller, filters: readonly string[]): Branch {
  const own = `select p.task_id from user_task_participations p where p.tenant_id = ${tenant} and p.participant_key = ${key()}`;
  const visible = manager ? [] : ['not t.blocked'];
  return ofTasks('user_tasks t', [
    `t.tenant_id = ${tenant}`,
    `t.status in (${quoted(TERMINAL_STATUSES)})`,
    `t.id in (${own})`,
    ...visible,
    ...filters,
  ]);
}

/** Open tasks that are blocked, overdue, held by nobody, or stuck while they are being closed. */
function needsAttention({ tenant }: Caller, filters: readonly string[], now: string): Branch {
  const stuck = `t.status in (${quoted(TRANSITIONAL_STATUSES)}) and t.updated_at < ${now} - ${STALE_TRANSITION}`;
  return ofTasks('user_tasks t', [
    `t.tenant_id = ${tenant}`,
    't.completed_at is null',
    `(t.blocked or t.due_at <= ${now} or t.status in ('Unassigned', 'Available') or (${stuck}))`,
    ...filters,
  ]);
}

/** How long a transition may take before somebody should look. */
const STALE_TRANSITION = `interval '5 minutes'`;

function quoted(statuses: readonly string[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
