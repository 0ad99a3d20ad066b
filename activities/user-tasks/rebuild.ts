import type { TaskId } from '../../domain/ids';
import type { Receipt, TaskSnapshot } from '../../domain/user-tasks/receipt';
import { projectionOf, receiptOf } from '../../domain/user-tasks/receipt';
import type { PrismaClient } from '../../prisma/generated/client';
import { project, projectSnapshot } from './project';
import { REWIND_TASK } from './projection-sql';

/** Asks a task for all that it holds; null when Temporal has it no more. */
export type SnapshotReader = (tenantId: string, taskId: TaskId) => Promise<TaskSnapshot | null>;

/**
 * Brings the rows of a task to what its workflow holds: makes missing ones, and lets the row follow a workflow that an
 * operator has reset, although its revision is lower. Never guesses: where the workflow cannot be asked, nothing changes.
 * @see UT-276, UT-397
 */
export async function rebuild(
  database: PrismaClient,
  task: Pick<Receipt, 'tenantId' | 'taskId'>,
  readSnapshot: SnapshotReader,
): Promise<'created' | 'followed' | 'rewound' | 'unreadable'> {
  const snapshot = await readSnapshot(task.tenantId, task.taskId);
  if (snapshot === null) return 'unreadable';
  const { record, run } = snapshot;
  const whole = { ...receiptOf(record, [], null, run), events: record.events };
  const response = responseOf(snapshot);
  const receipt = response === undefined ? whole : { ...whole, response };
  const outcome = await project(database, receipt);
  if (outcome === 'absent') {
    await projectSnapshot(database, snapshot);
    return 'created';
  }
  if (outcome !== 'other-run') return 'followed';
  await rewind(database, receipt, snapshot);
  return 'rewound';
}

async function rewind(database: PrismaClient, receipt: Receipt, { record, run }: TaskSnapshot): Promise<void> {
  await database.$transaction(async (transaction) => {
    const known = record.operations.map(({ operationId }) => operationId);
    await transaction.$queryRawUnsafe(
      REWIND_TASK,
      receipt.tenantId,
      receipt.taskId,
      run.runId,
      projectionOf(record.task).revision,
      record.task.updatedAt,
      known,
    );
    await project(transaction, receipt);
  });
}

function responseOf({ record }: TaskSnapshot): Receipt['response'] {
  const { task } = record;
  return task.status === 'Completed' || task.status === 'Completing' ? task.outcome.data : undefined;
}
