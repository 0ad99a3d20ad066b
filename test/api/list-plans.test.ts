import type { ListQuery, ListScope, ListSort } from '../../api/user-tasks/list-query';
import { pageStatement } from '../../api/user-tasks/list-sql';
import { taskIdOf } from '../../domain/ids';
import type { Person } from '../../domain/user-tasks/actor';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { clerk, group, manager } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';

const TASKS = 30_000;
const LIMIT = 20;
const GROUPS = [group('clerks'), group('payable')];
const reader: Person = { ...clerk, groups: GROUPS };

/** A node of PostgreSQL's EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await fill(TASKS);
}, 120_000);
afterAll(() => database.drop());

/** Open tasks offered to both groups, some held by the reader, some that exclude them, one in ten without a due date. */
async function fill(count: number): Promise<void> {
  const [first, second] = GROUPS.map(participantKeyHash);
  await database.db.$executeRawUnsafe(
    `insert into user_tasks (tenant_id, id, workflow_id, run_id, run_lineage, materialization_key, owner_workflow_id, owner_run_id,
       activity_instance_id, owner_definition_id, owner_definition_name, title, tags, candidate_user_count, candidate_group_count,
       allow_manager_exclusion_override, enable_timeout_outcome, enable_cancellation_outcome, revision, status, priority, due_at,
       created_at, updated_at, assignee, assignee_key, assigned_at, blocked)
     select 'acme', 'task_' || md5(n::text)::uuid, 'w' || n, 'r', '{}', 'm' || n, 'o', 'r',
       'a' || n, 'd', 'D', 'Title ' || (n * 7919) % $1, '{}', 0, 2, false, false, false, 1,
       case when n % 2 = 0 then 'Assigned' else 'Available' end, n % 101,
       case when n % 10 = 0 then null else timestamptz '2026-03-01' + (n * 7919 % $1) * interval '1 minute' end,
       timestamptz '2026-01-01' + (n / 3) * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second',
       case when n % 2 = 0 then '{}'::jsonb end, case when n % 2 = 0 then $2 end, null, false
     from generate_series(1, $1) as n`
      .replaceAll('$1', String(count))
      .replaceAll('$2', `'${participantKeyHash(reader.subject)}'`),
  );
  await database.db.$executeRawUnsafe(
    `insert into user_task_candidates (tenant_id, task_id, provider, type, participant_id, source, participant_key, claimable,
       priority, due_at, created_at)
     select tenant_id, id, 'directory', 'group', k, 'DirectGroup', k, status = 'Available', priority, due_at, created_at
     from user_tasks, unnest(array['${first ?? ''}', '${second ?? ''}']) as k`,
  );
  await database.db.$executeRawUnsafe(
    `insert into user_task_exclusions (tenant_id, task_id, provider, participant_id, participant_key)
     select tenant_id, id, 'directory', 'clerk', '${participantKeyHash(reader.subject)}' from user_tasks where hashtext(id) % 7 = 0`,
  );
  for (const table of [
    'user_tasks',
    'user_task_candidates',
    'user_task_exclusions',
    'user_task_participations',
  ]) {
    await database.db.$executeRawUnsafe(`vacuum analyze ${table}`);
  }
}

function queryOf(
  scope: ListScope,
  order: Pick<ListQuery, 'sort' | 'direction'>,
  cursor: ListQuery['cursor'],
): ListQuery {
  const filters = {
    statuses: null,
    priorityFrom: null,
    priorityTo: null,
    due: null,
    from: null,
    to: null,
    workflowDefinitionId: null,
    workflowInstanceId: null,
    reference: null,
    taskType: null,
    search: null,
  };
  return { scope, ...order, limit: LIMIT, cursor, filters, includeTotalCount: false };
}

async function explain(person: Person, query: ListQuery): Promise<readonly PlanNode[]> {
  const { sql, parameters } = pageStatement(person, query, new Date());
  const rows = await database.db.$queryRawUnsafe<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }[]>(
    `explain (analyze, buffers, format json) ${sql}`,
    ...parameters,
  );
  const [root] = rows[0]?.['QUERY PLAN'] ?? [];
  return root === undefined ? [] : nodesOf(root.Plan);
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The last row of the page in the middle of the list. */
async function middleOf(person: Person, query: ListQuery): Promise<ListQuery['cursor']> {
  const { sql, parameters } = pageStatement(person, { ...query, limit: TASKS / 4 }, new Date());
  const rows = await database.db.$queryRawUnsafe<{ id: string; value: string }[]>(
    sql,
    ...parameters,
  );
  const row = rows.at(-1)!;
  return { value: row.value, taskId: taskIdOf(row.id.replace('task_', '')) };
}

const SCOPES = ['available', 'assigned', 'all'] as const satisfies readonly ListScope[];
const ORDERS = (['created', 'due', 'priority'] as const satisfies readonly ListSort[]).flatMap(
  (sort) => (['asc', 'desc'] as const).map((direction) => ({ sort, direction })),
);
const CASES = [
  ...SCOPES.flatMap((scope) => ORDERS.map((order) => ({ scope, ...order }))),
  { scope: 'all', sort: 'updated', direction: 'asc' },
  { scope: 'all', sort: 'updated', direction: 'desc' },
] as const;

describe.each(CASES)('a page of $scope by $sort $direction', ({ scope, sort, direction }) => {
  const person = scope === 'all' ? manager : reader;
  const firstPage = queryOf(scope, { sort, direction }, null);

  it('is read from an index, first or middle page, without sorting or scanning the set (UT-260)', async () => {
    const middle = { ...firstPage, cursor: await middleOf(person, firstPage) };
    for (const query of [firstPage, middle]) {
      const nodes = await explain(person, query);
      const rowsOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];
      expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
      expect(nodes[0]!['Actual Rows']).toBe(LIMIT + 1);
      const most = 3 * (GROUPS.length + 1) * (LIMIT + 1);
      expect(nodes.filter((node) => rowsOf(node) > most)).toEqual([]);
      expect(nodes[0]!['Shared Hit Blocks'] + nodes[0]!['Shared Read Blocks']).toBeLessThan(700);
    }
  });
});
