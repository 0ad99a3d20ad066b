import { setTimeout as sleep } from 'node:timers/promises';
import {
  compareProjection,
  compareTask,
  type Difference,
} from '../activities/user-tasks/compare-projection';
import { runOperator, type Operator } from './operator';

/** Looks again at what differs, since a projection may have been on its way. */
const LOOKS = 4;
const PAUSE_MS = 2_000;

/**
 * `npm run verify:projection`: compares every row with its workflow, open or still kept, and names each difference.
 * Exits with 1 when there are any. Changes nothing.
 */
runOperator(async (operator) => {
  const { database, client, readSnapshot, config, report } = operator;
  const { rows, unreadable, differences } = await compareProjection(
    database,
    client,
    readSnapshot,
    {
      closed: true,
      taskQueue: config.COUNTERSIGN_TASK_QUEUE,
      onProgress: (done) => report(`  ${done} rows compared`),
    },
  );
  const left = await lasting(operator, differences);
  for (const { tenantId, taskId, difference } of left)
    report(`${tenantId === '' ? '' : `${tenantId} `}${taskId}: ${difference}`);
  report(
    `${rows} rows compared, ${unreadable} whose workflow is kept no more; ` +
      (left.length === 0 ? 'rows and workflows agree.' : `${left.length} differences.`),
  );
  if (left.length > 0) process.exitCode = 1;
});

async function lasting(
  { database, client, readSnapshot, report }: Operator,
  differences: readonly Difference[],
): Promise<readonly Difference[]> {
  let left = differences;
  for (let look = 1; look < LOOKS && left.length > 0; look += 1) {
    const tasks = new Map(
      left.map(({ tenantId, taskId }) => [`${tenantId} ${taskId}`, { tenantId, taskId }]),
    );
    report(`  ${tasks.size} tasks differ; looking again in ${PAUSE_MS / 1000} s`);
    await sleep(PAUSE_MS);
    const again: Difference[] = [];
    for (const task of tasks.values())
      again.push(...(await compareTask(database, client, readSnapshot, task)));
    left = again;
  }
  return left;
}
