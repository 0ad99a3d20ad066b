import type { TaskId } from '../../domain/ids';
import type { TaskFacts, Relationships } from '../../domain/user-tasks/access';
import { isManager, type Person } from '../../domain/user-tasks/actor';
import type { Entitlement } from '../../domain/user-tasks/commands';
import type { MembershipResolutionMode } from '../../domain/user-tasks/definition';
import { REPAIRABLE_ISSUES } from '../../domain/user-tasks/health';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { TaskStatus } from '../../domain/user-tasks/task';
import type { Prisma, PrismaClient } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import {
  candidateKeys,
  relationshipColumns,
  relationshipsOfRow,
  type RelationshipRow,
} from '../../prisma/task-relationships';

/** A task as its row tells it, with what the caller is to it. Safe fields only. */
export interface TaskView {
  readonly tenantId: string;
  readonly id: TaskId;
  /** Internal handle: never in a response. */
  readonly workflowId: string;
  readonly title: string;
  readonly summary: string | null;
  readonly reference: string | null;
  readonly tags: readonly string[];
  readonly taskType: string | null;
  readonly requester: ParticipantReference | null;
  readonly ownerWorkflowId: string;
  readonly ownerDefinitionId: string;
  readonly ownerDefinitionName: string;
  readonly ownerDefinitionVersion: string | null;
  readonly ownerInstanceReference: string | null;
  readonly candidateUserCount: number;
  readonly candidateGroupCount: number;
  readonly enableCancellationOutcome: boolean;
  readonly revision: number;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly dueAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly assignee: ParticipantReference | null;
  readonly assignedAt: Date | null;
  readonly completedAt: Date | null;
  readonly completedBy: ParticipantReference | null;
  readonly actionKey: string | null;
  readonly blocked: boolean;
  readonly healthSeverity: string | null;
  readonly healthCode: string | null;
  /** Whether an issue that retry-resolution may clear is open. */
  readonly repairable: boolean;
  readonly membershipMode: MembershipResolutionMode;
  /** The list in the database by which the caller is a candidate; null where the task itself knows. @see UT-403 */
  readonly entitledBy: Entitlement | null;
  readonly is: Relationships;
}

/** The facts on which access depends. */
export function factsOf(view: TaskView): TaskFacts {
  return {
    status: view.status,
    blocked: view.blocked,
    cancellable: view.enableCancellationOutcome,
    repairable: view.repairable,
  };
}

/**
 * The tasks with these ids, in no particular order, with the caller's relationships to each: one statement for any
 * number. Whether the caller may see them is not decided here.
 */
export async function loadTaskViews(
  database: PrismaClient | Prisma.TransactionClient,
  person: Person,
  taskIds: readonly TaskId[],
): Promise<readonly TaskView[]> {
  const { tenantId } = person.subject;
  const rows = await database.$queryRawUnsafe<ViewRow[]>(
    SELECT_VIEWS,
    tenantId,
    taskIds,
    participantKeyHash(person.subject),
    candidateKeys(person),
    REPAIRABLE_ISSUES,
  );
  const manager = isManager(person, tenantId);
  return rows.map(
    ({ isAssignee, isMember, isCandidate, isCompleter, hasHeld, hasActed, ...view }) => ({
      ...view,
      entitledBy: isMember ? 'SnapshotMember' : null,
      is: relationshipsOfRow(
        { isAssignee, isMember, isCandidate, isCompleter, hasHeld, hasActed },
        manager,
      ),
    }),
  );
}

/** The task with this id, or null when the caller's tenant has none. */
export async function loadTaskView(
  database: PrismaClient | Prisma.TransactionClient,
  person: Person,
  taskId: TaskId,
): Promise<TaskView | null> {
  const [view = null] = await loadTaskViews(database, person, [taskId]);
  return view;
}

type ViewRow = Omit<TaskView, 'is' | 'entitledBy'> & RelationshipRow;

const SELECT_VIEWS = `
select t.tenant_id as "tenantId", t.id, t.workflow_id as "workflowId", t.title, t.summary, t.reference, t.tags,
  t.task_type as "taskType", t.requester, t.owner_workflow_id as "ownerWorkflowId",
  t.owner_definition_id as "ownerDefinitionId", t.owner_definition_name as "ownerDefinitionName",
  t.owner_definition_version as "ownerDefinitionVersion", t.owner_instance_reference as "ownerInstanceReference",
  t.candidate_user_count as "candidateUserCount", t.candidate_group_count as "candidateGroupCount",
  t.enable_cancellation_outcome as "enableCancellationOutcome", t.revision, t.status, t.priority, t.due_at as "dueAt",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.assignee, t.assigned_at as "assignedAt",
  t.completed_at as "completedAt", t.completed_by as "completedBy", t.action_key as "actionKey", t.blocked,
  t.membership_mode as "membershipMode", h.severity as "healthSeverity", h.code as "healthCode",
  exists (select from user_task_health_issues i where i.tenant_id = t.tenant_id and i.task_id = t.id
          and i.code = any($5)) as "repairable", ${relationshipColumns('$3', '$4')}
from user_tasks t
left join lateral (
  select severity, code from user_task_health_issues i where i.tenant_id = t.tenant_id and i.task_id = t.id
  order by severity = 'Blocking' desc, since, code limit 1) h on true
where t.tenant_id = $1 and t.id = any($2)`;
