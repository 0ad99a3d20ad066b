import { pageStatement } from '../../api/user-tasks/list-sql';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { CLERKS, person } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';

const TASKS = 10_000;
const LIMIT = 20;
const member = person('ann', { groups: [CLERKS] });

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

describe('a page of what a member of snapshots may claim', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.$executeRawUnsafe(`
      insert into user_tasks (tenant_id, id, workflow_id, run_id, materialization_key, owner_workflow_id, owner_run_id,
        activity_instance_id, owner_definition_id, owner_definition_name, title, candidate_user_count,
        candidate_group_count, membership_mode, allow_manager_exclusion_override, enable_timeout_outcome,
        enable_cancellation_outcome, revision, status, priority, created_at, updated_at, blocked)
      select 'acme', 'task_' || md5(n::text)::uuid, 'w' || n, 'r', 'm' || n, 'o', 'r', 'a' || n, 'd', 'D', 'T', 2, 1,
        'Snapshot', false, false, false, 1, 'Available', n % 101, timestamptz '2026-01-01' + n * interval '1 second', now(),
        false
      from generate_series(1, ${TASKS}) as n`);
    // Of the group one row that entitles nobody, of its members one each that does.
    await database.db.$executeRawUnsafe(
      `insert into user_task_candidates (tenant_id, task_id, provider, type, participant_id, source, participant_key,
         claimable, priority, created_at)
       select tenant_id, id, 'directory', k.type, k.key, k.source, k.key, k.source = 'SnapshotMember', priority, created_at
       from user_tasks, (values ('group', $1, 'DirectGroup'), ('user', $2, 'SnapshotMember'), ('user', 'another', 'SnapshotMember'))
         as k(type, key, source)`,
      participantKeyHash(CLERKS),
      participantKeyHash(member.subject),
    );
    await database.db.$executeRawUnsafe(
      `insert into user_task_exclusions (tenant_id, task_id, provider, participant_id, participant_key)
       select tenant_id, id, 'directory', 'ann', $1 from user_tasks where hashtext(id) % 7 = 0`,
      participantKeyHash(member.subject),
    );
    for (const table of ['user_tasks', 'user_task_candidates', 'user_task_exclusions']) {
      await database.db.$executeRawUnsafe(`vacuum analyze ${table}`);
    }
  }, 120_000);
  afterAll(() => database.drop());

  it.each(['created', 'due', 'priority'] as const)(
    'is read from an index in the order of %s, and no further than the page (UT-066, UT-260)',
    async (sort) => {
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
      const query = {
        scope: 'available',
        limit: LIMIT,
        sort,
        direction: 'asc',
        cursor: null,
      } as const;
      const { sql, parameters } = pageStatement(
        member,
        { ...query, filters, includeTotalCount: false },
        new Date(),
      );
      const [explained] = await database.db.$queryRawUnsafe<
        { 'QUERY PLAN': [{ Plan: PlanNode }] }[]
      >(`explain (analyze, format json) ${sql}`, ...parameters);
      const nodes: PlanNode[] = [];
      const collect = (node: PlanNode): void => {
        nodes.push(node);
        node.Plans?.forEach(collect);
      };
      if (explained === undefined) throw new Error('no plan');
      collect(explained['QUERY PLAN'][0].Plan);
      expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
      expect(nodes.map((node) => node['Index Name'])).toContain(
        `user_task_candidates_claimable_${sort}_asc`,
      );
      const most = Math.max(...nodes.map((node) => node['Actual Rows'] * node['Actual Loops']));
      expect(most).toBeLessThanOrEqual(3 * (LIMIT + 1));
      expect(nodes[0]?.['Actual Rows']).toBe(LIMIT + 1);
    },
  );
});
