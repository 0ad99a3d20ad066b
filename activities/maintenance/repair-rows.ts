import { taskWorkflowId, type TaskId } from '../../domain/ids';
import { projectionOf, type TaskSnapshot } from '../../domain/user-tasks/receipt';
import { isTerminal, isTransitional, type TaskStatus } from '../../domain/user-tasks/task';
import type { Prisma } from '../../prisma/generated/client';
import { closureOfStatus, describeWorkflow, killedAt, readEnd } from '../user-tasks/closure';
import { clearIssue, raiseIssue } from '../user-tasks/outside-issues';
import { rebuild } from '../user-tasks/rebuild';
import { settleClosed } from '../user-tasks/settle';
import type { MaintenanceDependencies } from './dependencies';
import { finishRow, withFinish } from './finish-row';
import { inBatches } from './in-batches';
import { NOTHING_REPAIRED, type RepairCounts, type TaskKey } from './maintenance-activities';
import { isAbandoned } from './owner';

/** An open row with what repair looks at. */
type Row = Prisma.UserTaskGetPayload<{ include: typeof withFinish }>;

/** What repair did to one task; null for nothing. */
type Repair = keyof RepairCounts | null;

/**
 * Compares open rows with their workflows. The workflow wins while it is open; a row whose workflow has ended is brought
 * to that end; what nobody can explain is reported and left alone; a task that no owner awaits is cancelled.
 * @param onProgress - called while it works
 * @see UT-276 (2..4), UT-279, UT-396
 */
export async function repairRows(
  deps: MaintenanceDependencies,
  tasks: readonly TaskKey[],
  onProgress?: () => void,
): Promise<RepairCounts> {
  const repair = async (task: TaskKey): Promise<Repair> => {
    try {
      return await repairRow(deps, task);
    } catch (error) {
      deps.onFailure(task.taskId, error);
      return 'failed';
    }
  };
  const counts: Record<keyof RepairCounts, number> = { ...NOTHING_REPAIRED };
  for (const repaired of await inBatches(tasks, repair, onProgress))
    if (repaired !== null) counts[repaired] += 1;
  return counts;
}

async function repairRow(
  deps: MaintenanceDependencies,
  { tenantId, taskId }: TaskKey,
): Promise<Repair> {
  const where = { tenantId_id: { tenantId, id: taskId } };
  const row = await deps.database.userTask.findUnique({ where, include: withFinish });
  if (row === null || row.completedAt !== null) return null;
  if (row.workflowId !== taskWorkflowId(tenantId, row.id as TaskId)) return ambiguous(deps, row);
  const child = await describeWorkflow(deps.client, row.workflowId);
  if (child === null) return repairWithoutChild(deps, row);
  return closureOfStatus(child.status.name) === 'running'
    ? repairOpen(deps, row)
    : repairClosed(deps, row);
}

async function repairOpen(deps: MaintenanceDependencies, row: Row): Promise<Repair> {
  const snapshot = await deps
    .readSnapshot(row.tenantId, row.id as TaskId)
    .catch((error: unknown) => {
      if (!isTransitional(row.status as TaskStatus) || acceptedOperation(row) !== null) throw error;
      return 'unanswered' as const;
    });
  // Neither the row nor, as long as it cannot be asked, its workflow says what was decided.
  if (snapshot === 'unanswered') return ambiguous(deps, row);
  if (snapshot === null) return null;
  const repaired = await follow(deps, row, snapshot);
  if (isTerminal(snapshot.record.task.status) || !(await isAbandoned(deps.client, row)))
    return repaired;
  await deps.client.workflow.getHandle(row.workflowId).cancel();
  return 'cancelled';
}

/** Brings a row up to its open workflow. */
async function follow(
  deps: MaintenanceDependencies,
  row: Row,
  snapshot: TaskSnapshot,
): Promise<Repair> {
  const held = projectionOf(snapshot.record.task);
  const sameRun = row.runId === snapshot.run.runId || snapshot.run.lineage.includes(row.runId);
  // Newer than its own workflow, or another status at the same revision: history and database contradict each other.
  const contradicts =
    row.revision > held.revision || (row.revision === held.revision && row.status !== held.status);
  if (sameRun && contradicts) return ambiguous(deps, row);
  const wasAmbiguous = row.health.some(
    ({ code, origin }) => code === 'ambiguous-record' && origin === 'outside',
  );
  if (wasAmbiguous)
    await clearIssue(deps.database, { tenantId: row.tenantId, taskId: row.id }, 'ambiguous-record');
  if (sameRun && row.revision === held.revision) return null;
  await rebuild(deps.database, snapshot.record.task, () => Promise.resolve(snapshot));
  return 'requeued';
}

async function repairClosed(deps: MaintenanceDependencies, row: Row): Promise<Repair> {
  const { client, database, readSnapshot } = deps;
  const killed = (workflowId: string) => killedAt(client, workflowId);
  const task = { tenantId: row.tenantId, id: row.id as TaskId, workflowId: row.workflowId };
  try {
    if (await settleClosed({ database, readSnapshot, killedAt: killed }, task)) return 'finalized';
  } catch (error) {
    // A closed workflow may outlive the code that could replay it; its end stands in its history all the same.
    deps.onFailure(row.id, error);
  }
  const end = await readEnd(client, row.workflowId);
  if (end === null) return repairWithoutChild(deps, row);
  if (end.kind === 'killed')
    await raiseIssue(database, { tenantId: row.tenantId, taskId: row.id }, 'ambiguous-record');
  await finishRow(database, row, end);
  return 'finalized';
}

/** Temporal keeps the workflow no more: what the row has recorded as accepted is finished, anything else is not guessed. */
async function repairWithoutChild(
  { database, ...deps }: MaintenanceDependencies,
  row: Row,
): Promise<Repair> {
  const operation = acceptedOperation(row);
  if (!isTransitional(row.status as TaskStatus) || operation === null)
    return ambiguous({ database, ...deps }, row);
  await finishRow(database, row, { kind: 'accepted', operation });
  return 'finalized';
}

async function ambiguous(
  { database }: Pick<MaintenanceDependencies, 'database'>,
  row: Row,
): Promise<'ambiguous'> {
  await raiseIssue(database, { tenantId: row.tenantId, taskId: row.id }, 'ambiguous-record');
  return 'ambiguous';
}

function acceptedOperation({ operations }: Row): Row['operations'][number] | null {
  return operations.find(({ kind }) => kind !== 'RetryResolution') ?? null;
}
