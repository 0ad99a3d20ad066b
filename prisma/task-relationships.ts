import { mayReadSummary, type Relationships } from '../domain/user-tasks/access';
import { isManager, type Person } from '../domain/user-tasks/actor';
import { isGranted } from '../domain/user-tasks/grants';
import type { TaskStatus } from '../domain/user-tasks/task';
import type { Prisma, PrismaClient } from './generated/client';
import { participantKeyHash } from './participant-key-hash';

/** What rows say somebody is to a task; {@link relationshipsOfRow} reads it. */
export interface RelationshipRow {
  /** Whether a stored list of members names the person. */
  readonly isMember: boolean;
  readonly isAssignee: boolean;
  readonly isCandidate: boolean;
  readonly isCompleter: boolean;
  readonly hasHeld: boolean;
  readonly hasActed: boolean;
}

/** Keys under which a person may be a candidate: the own identity, then every group. @see UT-056 */
export function candidateKeys(person: Person): readonly string[] {
  return [person.subject, ...person.groups].map(participantKeyHash);
}

/**
 * Columns of a {@link RelationshipRow} for the task `t`: the one place where rows are read as relationships, so that
 * reads, live streams and webhooks tell the same people.
 * @param key - SQL for the key of the person
 * @param keys - SQL for the array of the person's candidate keys
 * @see UT-069, UT-210
 */
export const relationshipColumns = (key: string, keys: string): string => `
  (t.membership_mode = 'Snapshot' and exists (
    select from user_task_candidates c where c.tenant_id = t.tenant_id and c.task_id = t.id
      and c.participant_key = ${key} and c.source = 'SnapshotMember')) as "isMember",
  coalesce(t.assignee_key = ${key}, false) as "isAssignee",
  (exists (select from user_task_candidates c
           where c.tenant_id = t.tenant_id and c.task_id = t.id and c.participant_key = any(${keys})
             and (c.source = 'DirectUser' or c.source = case t.membership_mode when 'Snapshot' then 'SnapshotMember'
                                                                              else 'DirectGroup' end))
   and not exists (select from user_task_exclusions x
                   where x.tenant_id = t.tenant_id and x.task_id = t.id and x.participant_key = ${key})) as "isCandidate",
  t.status = 'Completed' and coalesce(t.completed_by_key = ${key}, false) as "isCompleter",
  exists (select from user_task_participations p where p.tenant_id = t.tenant_id and p.task_id = t.id
          and p.participant_key = ${key} and p.role = 'held') as "hasHeld",
  exists (select from user_task_participations p where p.tenant_id = t.tenant_id and p.task_id = t.id
          and p.participant_key = ${key} and p.role = 'acted') as "hasActed"`;

/** The relationships that a row tells. @param manager - whether the person is a manager of the task's tenant */
export function relationshipsOfRow(row: RelationshipRow, manager: boolean): Relationships {
  return {
    manager,
    assignee: row.isAssignee,
    candidate: row.isCandidate,
    completer: row.isCompleter,
    formerAssignee: row.hasHeld && !row.isAssignee,
    actor: row.hasActed,
  };
}

/**
 * For each viewer the ids of those tasks whose summary the viewer may read now, by one statement for any number of
 * viewers and tasks. Viewers of another tenant see nothing.
 * @see UT-210, UT-273
 */
export async function visibleTasks(
  database: PrismaClient | Prisma.TransactionClient,
  tenantId: string,
  viewers: readonly Person[],
  taskIds: readonly string[],
): Promise<readonly ReadonlySet<string>[]> {
  const visible = viewers.map(() => new Set<string>());
  const asked = viewers.flatMap((person, index) =>
    person.subject.tenantId === tenantId && isGranted(person.grants, 'user-tasks:view')
      ? [{ index, key: participantKeyHash(person.subject), keys: candidateKeys(person) }]
      : [],
  );
  if (asked.length === 0 || taskIds.length === 0) return visible;
  const rows = await database.$queryRawUnsafe<SightRow[]>(
    SELECT_SIGHTS,
    tenantId,
    taskIds,
    JSON.stringify(asked),
  );
  for (const row of rows) {
    const viewer = viewers[row.index];
    if (viewer === undefined) continue;
    const is = relationshipsOfRow(row, isManager(viewer, tenantId));
    // Neither decides on reading the summary.
    const facts = {
      status: row.status,
      blocked: row.blocked,
      cancellable: false,
      repairable: false,
    };
    if (mayReadSummary(facts, is)) visible[row.index]?.add(row.id);
  }
  return visible;
}

interface SightRow extends RelationshipRow {
  readonly index: number;
  readonly id: string;
  readonly status: TaskStatus;
  readonly blocked: boolean;
}

const SELECT_SIGHTS = `
select v.index, t.id, t.status, t.blocked, ${relationshipColumns('v.key', 'v.keys')}
from user_tasks t
cross join (
  select (g->>'index')::integer as index, g->>'key' as key,
    array(select jsonb_array_elements_text(g->'keys')) as keys
  from jsonb_array_elements($3::jsonb) as g) v
where t.tenant_id = $1 and t.id = any($2)`;
