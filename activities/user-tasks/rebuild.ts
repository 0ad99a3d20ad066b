import type { TaskId } from '../../domain/ids';
import {
  receiptOf,
  resolvedParts,
  type Receipt,
  type TaskSnapshot,
} from '../../domain/user-tasks/receipt';
import type { PrismaClient } from '../../prisma/generated/client';
import { project, projectSnapshot } from './project';
import { RECORD_REWIND, REWIND_TASK } from './projection-sql';

/** Asks a task for all that it holds; null when Temporal has it no more. */
export type SnapshotReader = (tenantId: string, taskId: TaskId) => Promise<TaskSnapshot | null>;

/**
 * What became of the rows: `created` where there were none, `followed` (they are as the workflow is now), `rewound`
 * behind a reset, `purged` and left so, `foreign` when another task holds the materialization key, or `unreadable`.
 */
export type RebuildOutcome =
  'created' | 'followed' | 'rewound' | 'purged' | 'foreign' | 'unreadable';

/**
 * Brings the rows of a task to what its workflow holds: makes missing ones, and lets the row follow a workflow that an
 * operator has reset, although its revision is lower. Never guesses: where the workflow cannot be asked, nothing
 * changes; and never brings back what was purged.
 * @see UT-276, UT-397, UT-413, UT-414
 */
export async function rebuild(
  database: PrismaClient,
  task: Pick<Receipt, 'tenantId' | 'taskId'>,
  readSnapshot: SnapshotReader,
): Promise<RebuildOutcome> {
  const snapshot = await readSnapshot(task.tenantId, task.taskId);
  if (snapshot === null) return 'unreadable';
  const { record, run } = snapshot;
  const whole = {
    ...receiptOf(record, [], null, run),
    ...resolvedParts(record.task),
    events: record.events,
  };
  const response = responseOf(snapshot);
  const receipt = response === undefined ? whole : { ...whole, response };
  const outcome = await project(database, receipt, record.operations);
  if (outcome === 'absent') return create(database, snapshot);
  if (outcome !== 'other-run') return 'followed';
  await rewind(database, receipt, snapshot);
  return 'rewound';
}

async function create(database: PrismaClient, snapshot: TaskSnapshot): Promise<RebuildOutcome> {
  const { tenantId, taskId } = snapshot.record.task;
  const purged = await database.purgedUserTask.findUnique({
    where: { tenantId_taskId: { tenantId, taskId } },
  });
  if (purged !== null) return 'purged';
  return (await projectSnapshot(database, snapshot)) === taskId ? 'created' : 'foreign';
}

async function rewind(
  database: PrismaClient,
  receipt: Receipt,
  { record, run }: TaskSnapshot,
): Promise<void> {
  const { tenantId, taskId } = receipt;
  await database.$transaction(async (transaction) => {
    const known = record.operations.map(({ operationId }) => operationId);
    const [left] = await transaction.$queryRawUnsafe<{ epoch: number; fromRevision: number }[]>(
      REWIND_TASK,
      tenantId,
      taskId,
      run.runId,
      known,
    );
    await project(transaction, receipt, record.operations);
    if (left === undefined) return;
    await transaction.$executeRawUnsafe(
      RECORD_REWIND,
      tenantId,
      taskId,
      left.epoch,
      left.fromRevision,
      new Date(),
    );
  });
}

function responseOf({ record }: TaskSnapshot): Receipt['response'] {
  const { task } = record;
  return task.status === 'Completed' || task.status === 'Completing'
    ? task.outcome.data
    : undefined;
}
