import { closureOfStatus, describeWorkflow } from '../user-tasks/closure';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import type { MaintenanceDependencies } from './dependencies';
import type { TaskKey } from './maintenance-activities';

const PAGE = 200;

/**
 * Deletes members of snapshots that belong to no task: it was purged, or its start was given up before it had a row.
 * Events, tasks and what belongs to them are never touched.
 * @returns how many tasks had such members
 * @see UT-283
 */
export async function pruneSnapshotMembers(
  { database, client, onFailure }: MaintenanceDependencies,
  onProgress: () => void = () => undefined,
): Promise<number> {
  let pruned = 0;
  let after: TaskKey = { tenantId: '', taskId: '' };
  for (;;) {
    const page = await database.$queryRaw<TaskKey[]>`
      select distinct m.tenant_id as "tenantId", m.task_id as "taskId" from user_task_snapshot_members m
      where (m.tenant_id, m.task_id) > (${after.tenantId}, ${after.taskId})
        and not exists (select from user_tasks t where t.tenant_id = m.tenant_id and t.id = m.task_id)
      order by m.tenant_id, m.task_id limit ${PAGE}`;
    for (const { tenantId, taskId } of page) {
      try {
        // A task that is starting writes its members before its row.
        const child = await describeWorkflow(client, taskWorkflowId(tenantId, taskId as TaskId));
        const starting = child !== null && closureOfStatus(child.status.name) === 'running';
        if (!starting)
          pruned += Math.min(
            1,
            (await database.userTaskSnapshotMember.deleteMany({ where: { tenantId, taskId } }))
              .count,
          );
      } catch (error) {
        onFailure(taskId, error);
      }
      onProgress();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return pruned;
    after = last;
  }
}
