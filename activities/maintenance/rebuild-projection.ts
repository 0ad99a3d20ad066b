import type { Client } from '@temporalio/client';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import { closureOfStatus, describeWorkflow, killedAt } from '../user-tasks/closure';
import { clearIssue } from '../user-tasks/outside-issues';
import { rebuild, type RebuildOutcome } from '../user-tasks/rebuild';
import { settleClosed } from '../user-tasks/settle';
import type { MaintenanceDependencies } from './dependencies';
import { inBatches } from './in-batches';
import type { TaskKey } from './maintenance-activities';
import { identifyTask, listChildren } from './open-children';

/** What rebuilding needs: no directory and no schedule. */
export type RebuildDependencies = Pick<
  MaintenanceDependencies,
  'database' | 'client' | 'readSnapshot' | 'taskQueue' | 'onFailure'
>;

/** How many tasks came to what. `settled` are closed ones, brought to their end; `failed` could not be asked. */
export type RebuildCounts = Readonly<
  Record<Exclude<RebuildOutcome, 'unreadable'> | 'settled' | 'refused' | 'failed', number>
>;

const PAGE = 100;

/**
 * Brings the rows of all tasks to what their workflows hold: open ones, and closed ones that Temporal still keeps. What
 * was purged stays purged, and what is kept no more is left as it is.
 * @param onProgress - called after each page with the number of tasks looked at so far
 * @see UT-413, UT-414
 */
export async function rebuildProjection(
  deps: RebuildDependencies,
  onProgress: (tasks: number) => void = () => undefined,
): Promise<RebuildCounts> {
  const counts = {
    created: 0,
    followed: 0,
    rewound: 0,
    purged: 0,
    foreign: 0,
    settled: 0,
    refused: 0,
    failed: 0,
  };
  let after: string | null = null;
  let seen = 0;
  do {
    const request = {
      taskQueue: deps.taskQueue,
      open: false,
      tenantId: null,
      startedBefore: null,
      limit: PAGE,
      after,
    };
    const page: Awaited<ReturnType<typeof listChildren>> = await listChildren(deps.client, request);
    const identified = await inBatches(page.items, (id) => identifyTask(deps.client, id));
    const tasks = identified.filter((task) => task !== null);
    for (const outcome of await inBatches(tasks, (task) => rebuildTask(deps, task)))
      counts[outcome] += 1;
    seen += tasks.length;
    onProgress(seen);
    after = page.next;
  } while (after !== null);
  return counts;
}

/** The same for one task. An operator who names it has looked at it: a record that was ambiguous is so no more. */
export async function rebuildNamedTask(
  deps: RebuildDependencies,
  task: TaskKey,
): Promise<keyof RebuildCounts> {
  const outcome = await rebuildTask(deps, { ...task, taskId: task.taskId as TaskId });
  await clearIssue(deps.database, task, 'ambiguous-record');
  return outcome;
}

async function rebuildTask(
  deps: RebuildDependencies,
  task: { readonly tenantId: string; readonly taskId: TaskId },
): Promise<keyof RebuildCounts> {
  const { client, database, readSnapshot } = deps;
  const workflowId = taskWorkflowId(task.tenantId, task.taskId);
  try {
    const description = await describeWorkflow(client, workflowId);
    const missing =
      (await database.userTask.count({ where: { tenantId: task.tenantId, id: task.taskId } })) ===
      0;
    if (description !== null && closureOfStatus(description.status.name) === 'running') {
      const outcome = await rebuild(database, task, readSnapshot);
      return outcome === 'unreadable' ? 'failed' : outcome;
    }
    if (missing && (await wasPurged(deps, task))) return 'purged';
    const killed = (id: string) => killedAt(client, id);
    const settled = await settleClosed(
      { database, readSnapshot, killedAt: killed },
      { ...task, id: task.taskId, workflowId },
    );
    return settled ? (missing ? 'created' : 'settled') : 'failed';
  } catch (error) {
    // A task that was refused at its start has no state to give, and never had a row: there is nothing to rebuild.
    if (await wasRefused(client, workflowId)) return 'refused';
    deps.onFailure(task.taskId, error);
    return 'failed';
  }
}

/** Whether the task ended in its own refusal, as a definition does that is wrong. @see UT-032 */
async function wasRefused(client: Client, workflowId: string): Promise<boolean> {
  const description = await describeWorkflow(client, workflowId).catch(() => null);
  return description?.status.name === 'FAILED';
}

async function wasPurged(
  { database }: RebuildDependencies,
  { tenantId, taskId }: TaskKey,
): Promise<boolean> {
  return (await database.purgedUserTask.count({ where: { tenantId, taskId } })) > 0;
}
