import type { ParticipantReference } from '../domain/user-tasks/participant';
import type { PrismaClient } from '../prisma/generated/client';
import { participantKeyHash } from '../prisma/participant-key-hash';

/** What to fill a database with. */
export interface Filling {
  readonly tenantId: string;
  readonly count: number;
  /** Groups that every task is offered to. */
  readonly groups: readonly ParticipantReference[];
  /** Who holds every second task and is excluded from every seventh. */
  readonly person: ParticipantReference;
}

const BATCH = 50_000;

/**
 * Fills a migrated database with open tasks, as rows only: half of them available, half held, priorities 0 to 100, due
 * dates in a shuffled order, one in ten without, creation times with ties. A million take some minutes.
 * @param onProgress - called after each batch with the number of tasks so far
 */
export async function fillTasks(
  database: PrismaClient,
  filling: Filling,
  onProgress: (tasks: number) => void = () => undefined,
): Promise<void> {
  for (let start = 1; start <= filling.count; start += BATCH) {
    const end = Math.min(start + BATCH - 1, filling.count);
    await insertBatch(database, filling, start, end);
    onProgress(end);
  }
  for (const table of [
    'user_tasks',
    'user_task_candidates',
    'user_task_exclusions',
    'user_task_participations',
  ]) {
    await database.$executeRawUnsafe(`vacuum analyze ${table}`);
  }
}

async function insertBatch(
  database: PrismaClient,
  filling: Filling,
  start: number,
  end: number,
): Promise<void> {
  const { tenantId, count, groups, person } = filling;
  const key = participantKeyHash(person);
  const document = JSON.stringify({ ...person });
  await database.$executeRawUnsafe(
    INSERT_TASKS,
    start,
    end,
    tenantId,
    count,
    document,
    key,
    groups.length,
  );
  for (const group of groups) {
    const { provider, id } = group;
    await database.$executeRawUnsafe(
      INSERT_CANDIDATES,
      start,
      end,
      tenantId,
      provider,
      id,
      participantKeyHash(group),
    );
  }
  await database.$executeRawUnsafe(
    INSERT_EXCLUSIONS,
    start,
    end,
    tenantId,
    person.provider,
    person.id,
    key,
  );
}

const taskId = `'task_' || md5($3::text || n)::uuid`;

const INSERT_TASKS = `
insert into user_tasks (tenant_id, id, workflow_id, run_id, run_lineage, materialization_key, owner_workflow_id,
  owner_run_id, activity_instance_id, owner_definition_id, owner_definition_name, title, tags, candidate_user_count,
  candidate_group_count, allow_manager_exclusion_override, enable_timeout_outcome, enable_cancellation_outcome, revision,
  status, priority, due_at, created_at, updated_at, assignee, assignee_key, assigned_at, blocked)
select $3, ${taskId}, 'w' || n, 'r', '{}', 'm' || n, 'o', 'r', 'a' || n, 'd', 'D',
  'Title ' || (n::bigint * 7919) % $4::bigint, '{}', 0, $7::integer, false, false, false, 1,
  case when n % 2 = 0 then 'Assigned' else 'Available' end, n % 101,
  case when n % 10 = 0 then null
       else timestamptz '2026-03-01Z' + (n::bigint * 7919 % $4::bigint) * interval '1 minute' end,
  timestamptz '2026-01-01Z' + (n / 3) * interval '1 second', timestamptz '2026-01-01Z' + n * interval '1 second',
  case when n % 2 = 0 then $5::jsonb end, case when n % 2 = 0 then $6 end,
  case when n % 2 = 0 then timestamptz '2026-01-02Z' end, false
from generate_series($1::integer, $2::integer) as n`;

const INSERT_CANDIDATES = `
insert into user_task_candidates (tenant_id, task_id, provider, type, participant_id, source, participant_key, claimable,
  priority, due_at, created_at)
select tenant_id, id, $4, 'group', $5, 'DirectGroup', $6, status = 'Available', priority, due_at, created_at
from user_tasks t join generate_series($1::integer, $2::integer) as n on t.tenant_id = $3 and t.id = ${taskId}`;

const INSERT_EXCLUSIONS = `
insert into user_task_exclusions (tenant_id, task_id, provider, participant_id, participant_key)
select $3, ${taskId}, $4, $5, $6 from generate_series($1::integer, $2::integer) as n where n % 7 = 0`;
