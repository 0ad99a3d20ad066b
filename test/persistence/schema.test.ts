import { createTestDatabase, type TestDatabase } from '../harness/test-database';

/** The catalogue's tables, those of guests left out, with what else belongs to a task. */
const TASK_TABLES = [
  'user_tasks',
  'user_task_protected',
  'user_task_candidates',
  'user_task_snapshot_members',
  'user_task_exclusions',
  'user_task_participations',
  'user_task_events',
  'user_task_operations',
  'user_task_health_issues',
  'user_task_notifications',
];

interface Index {
  readonly table: string;
  readonly unique: boolean;
  /** Columns and expressions, in order, as PostgreSQL writes them. */
  readonly columns: readonly string[];
  readonly predicate: string | null;
}

describe('the schema', () => {
  let database: TestDatabase;
  let indexes: readonly Index[];
  beforeAll(async () => {
    database = await createTestDatabase();
    indexes = await read<Index>(`
      select c.relname as table, x.indisunique as unique,
        array(select pg_get_indexdef(x.indexrelid, n, true) from generate_series(1, x.indnkeyatts) as n) as columns,
        pg_get_expr(x.indpred, x.indrelid, true) as predicate
      from pg_index x join pg_class c on c.oid = x.indrelid
      where c.relnamespace = 'public'::regnamespace`);
  });
  afterAll(() => database.drop());

  const read = <T>(sql: string): Promise<T[]> => database.db.$queryRawUnsafe<T[]>(sql);

  it('has a mandatory tenant in every table, first in its primary key (UT-285, UT-382)', async () => {
    const tables = await read<{ name: string; tenant: boolean; key: string[] }>(`
      select c.relname as name,
        exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull) as tenant,
        array(select a.attname::text from pg_index x, unnest(x.indkey) with ordinality as k(attnum, position)
              join pg_attribute a on a.attnum = k.attnum
              where x.indrelid = c.oid and x.indisprimary and a.attrelid = c.oid order by k.position) as key
      from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> '_prisma_migrations'`);
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(TASK_TABLES));
    for (const { name, tenant, key } of tables) {
      expect([name, tenant, key[0]]).toEqual([name, true, 'tenant_id']);
    }
  });

  it('has no table of users or groups, and no key into one (UT-004, UT-013, UT-379)', async () => {
    const references = await read<{ from: string; to: string }>(`
      select conrelid::regclass::text as from, confrelid::regclass::text as to
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
    const targets = new Set(references.map(({ to }) => to));
    expect(targets).toEqual(new Set(['user_tasks', 'webhook_endpoints']));
    const people = await read<{ name: string }>(`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name ~ '^(users?|groups?|accounts?|people|members?|identit(y|ies))$'`);
    expect(people).toEqual([]);
  });

  it.each([
    ['materialization key', 'user_tasks', ['tenant_id', 'materialization_key']],
    ['handle', 'user_tasks', ['tenant_id', 'workflow_id']],
    ['candidate', 'user_task_candidates', ['tenant_id', 'task_id', 'participant_key', 'source']],
    ['exclusion', 'user_task_exclusions', ['tenant_id', 'task_id', 'participant_key']],
    ['operation', 'user_task_operations', ['tenant_id', 'task_id', 'operation_id']],
    ['health code', 'user_task_health_issues', ['tenant_id', 'task_id', 'code']],
    ['event', 'user_task_events', ['tenant_id', 'task_id', 'epoch', 'revision', 'ordinal']],
    ['event id', 'user_task_events', ['tenant_id', 'id']],
    ['notification', 'user_task_notifications', ['tenant_id', 'id']],
  ])('keeps the %s unique, nowhere partially (UT-286)', (_what, table, columns) => {
    expect(indexes).toContainEqual({ table, unique: true, columns, predicate: null });
  });

  const CLAIMABLE = 'claimable';
  const HELD = 'assignee_key IS NOT NULL AND completed_at IS NULL';

  it.each<readonly [string, string, readonly string[], string | null]>([
    ['status', 'user_tasks', ['status'], null],
    ['assignee', 'user_tasks', ['assignee_key', 'user_task_order(created_at, 1)', 'id'], HELD],
    ['priority', 'user_tasks', ['priority', 'id'], null],
    ['priority, downwards', 'user_tasks', ['(- priority)', 'id'], null],
    ['due date', 'user_tasks', ['user_task_order(due_at, 1)', 'id'], null],
    ['due date, downwards', 'user_tasks', ["user_task_order(due_at, '-1'::integer)", 'id'], null],
    ['workflow definition', 'user_tasks', ['owner_definition_id'], null],
    ['workflow instance', 'user_tasks', ['owner_workflow_id'], null],
    ['activity instance', 'user_tasks', ['activity_instance_id'], null],
    ['time of creation', 'user_tasks', ['user_task_order(created_at, 1)', 'id'], null],
    ['time of completion', 'user_tasks', ['completed_at'], null],
    ['time of change', 'user_tasks', ['updated_at'], null],
    [
      'candidate',
      'user_task_candidates',
      ['participant_key', 'user_task_order(created_at, 1)', 'task_id'],
      CLAIMABLE,
    ],
    [
      "candidate's due dates",
      'user_task_candidates',
      ['participant_key', 'user_task_order(due_at, 1)', 'task_id'],
      CLAIMABLE,
    ],
    [
      "candidate's priorities",
      'user_task_candidates',
      ['participant_key', 'priority', 'task_id'],
      CLAIMABLE,
    ],
    ['operation status', 'user_task_operations', ['status', 'updated_at'], null],
    ['participation', 'user_task_participations', ['participant_key'], null],
  ])('finds tasks of a tenant by %s (UT-287)', (_what, table, columns, predicate) => {
    const index = { table, unique: false, columns: ['tenant_id', ...columns], predicate };
    expect(indexes).toContainEqual(index);
  });

  it('indexes every sort of every list in both directions (UT-260, UT-287)', () => {
    const lists = [
      ['user_task_candidates', ['tenant_id', 'participant_key']],
      ['user_tasks', ['tenant_id', 'assignee_key']],
      ['user_tasks', ['tenant_id']],
    ] as const;
    const sorts = ['created_at', 'due_at']
      .flatMap((at) => [`user_task_order(${at}, 1)`, `user_task_order(${at}, '-1'::integer)`])
      .concat('priority', '(- priority)');
    for (const [table, first] of lists) {
      const id = table === 'user_tasks' ? 'id' : 'task_id';
      for (const sort of sorts) {
        const columns = [...first, sort, id];
        expect(indexes).toContainEqual(expect.objectContaining({ table, columns }));
      }
    }
  });

  it('carries the task with no string that a person could type in an index of fixed use (UT-288)', () => {
    const typed = ['title', 'summary', 'reference', 'reason', 'display_name', 'participant_id'];
    expect(
      indexes.filter(({ columns }) => columns.some((column) => typed.includes(column))),
    ).toEqual([]);
  });
});

describe('what the database refuses whoever writes it', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.$executeRawUnsafe(`
      insert into user_tasks (tenant_id, id, workflow_id, run_id, materialization_key, owner_workflow_id, owner_run_id,
        activity_instance_id, owner_definition_id, owner_definition_name, title, candidate_user_count,
        candidate_group_count, allow_manager_exclusion_override, enable_timeout_outcome, enable_cancellation_outcome,
        revision, status, priority, created_at, updated_at, blocked)
      values ('acme', 'task_1', 'w', 'r', 'm', 'o', 'r', 'a', 'd', 'D', 'Title', 0, 0, false, false, false, 1, 'Available',
        50, now(), now(), false)`);
    await database.db.$executeRawUnsafe(`
      insert into user_task_operations (tenant_id, task_id, operation_id, kind, request_hash, received_hash,
        expected_revision, status, created_at, updated_at)
      values ('acme', 'task_1', 'OP', 'Claim', '', '', 1, 'Completed', now(), now())`);
  });
  afterAll(() => database.drop());

  it.each([
    ['an unknown status', `user_tasks set status = 'Delegated'`, 'user_tasks_status_known'],
    [
      'a status in another spelling',
      `user_tasks set status = 'available'`,
      'user_tasks_status_known',
    ],
    ['a priority below 0', 'user_tasks set priority = -1', 'user_tasks_priority_in_range'],
    ['a priority above 100', 'user_tasks set priority = 101', 'user_tasks_priority_in_range'],
    [
      'an assigned task that nobody holds',
      `user_tasks set status = 'Assigned'`,
      'user_tasks_assigned_has_assignee',
    ],
    [
      'an unknown membership mode',
      `user_tasks set membership_mode = 'live'`,
      'user_tasks_membership_mode_known',
    ],
    [
      'an unknown state of an operation',
      `user_task_operations set status = 'Done'`,
      'user_task_operations_status_known',
    ],
  ])('refuses %s (UT-009, UT-122, UT-136, UT-285)', async (_what, change, constraint) => {
    await expect(database.db.$executeRawUnsafe(`update ${change}`)).rejects.toThrow(constraint);
  });
});
