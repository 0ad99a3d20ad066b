import {
  rebuildNamedTask,
  rebuildProjection,
  type RebuildDependencies,
} from '../activities/maintenance/rebuild-projection';
import { parseTaskId } from '../domain/ids';
import { LaunchError, lineOf } from './launch-error';
import { runOperator } from './operator';

/**
 * `npm run rebuild:projection [-- TASK_ID …]`: brings rows to what the workflows hold, of all tasks or of those that are
 * named. Naming a task also clears its `ambiguous-record`: somebody has looked at it.
 */
runOperator(async ({ config, database, client, readSnapshot, args, report }) => {
  const deps: RebuildDependencies = {
    database,
    client,
    readSnapshot,
    taskQueue: config.COUNTERSIGN_TASK_QUEUE,
    onFailure: (task, error) => report(`  ${task} could not be asked: ${lineOf(error)}`),
  };
  if (args.length === 0) {
    const counts = await rebuildProjection(deps, (tasks) => report(`  ${tasks} tasks looked at`));
    report(
      Object.entries(counts)
        .map(([outcome, count]) => `${count} ${outcome}`)
        .join(', '),
    );
    if (counts.failed > 0) process.exitCode = 1;
    return;
  }
  for (const id of args) {
    if (parseTaskId(id) === null) throw new LaunchError(`"${id}" is no task id.`);
    const row = await database.userTask.findFirst({ where: { id }, select: { tenantId: true } });
    const tenantId = row?.tenantId ?? config.COUNTERSIGN_DEFAULT_TENANT;
    report(`${id}: ${await rebuildNamedTask(deps, { tenantId, taskId: id })}`);
  }
});
