import { rebuild } from '../user-tasks/rebuild';
import type { MaintenanceDependencies } from './dependencies';
import { inBatches } from './in-batches';
import { NOTHING_REPAIRED, type RepairCounts } from './maintenance-activities';
import { identifyTask } from './open-children';

/**
 * Makes the rows that are missing for workflows of open tasks: created and not projected, or lost from the database.
 * @param onProgress - called while it works
 * @see UT-276 (1), UT-279, UT-414
 */
export async function repairChildren(
  deps: MaintenanceDependencies,
  workflowIds: readonly string[],
  onProgress?: () => void,
): Promise<RepairCounts> {
  const known = await deps.database.userTask.findMany({
    where: { workflowId: { in: [...workflowIds] } },
    select: { workflowId: true },
  });
  const present = new Set(known.map(({ workflowId }) => workflowId));
  const missing = workflowIds.filter((workflowId) => !present.has(workflowId));
  const results = await inBatches(
    missing,
    (workflowId) => repairChild(deps, workflowId),
    onProgress,
  );
  const count = (kind: keyof RepairCounts): number =>
    results.filter((result) => result === kind).length;
  return {
    ...NOTHING_REPAIRED,
    recreated: count('recreated'),
    ambiguous: count('ambiguous'),
    failed: count('failed'),
  };
}

async function repairChild(
  deps: MaintenanceDependencies,
  workflowId: string,
): Promise<keyof RepairCounts | null> {
  const task = await identifyTask(deps.client, workflowId);
  // Started by hand under a name of its own: nothing can be projected for it.
  if (task === null) return 'ambiguous';
  try {
    const outcome = await rebuild(deps.database, task, deps.readSnapshot);
    if (outcome === 'created') return 'recreated';
    return outcome === 'foreign' ? 'ambiguous' : null;
  } catch (error) {
    deps.onFailure(task.taskId, error);
    return 'failed';
  }
}
