import type { TaskId } from '../../domain/ids';
import type { SnapshotReader } from '../../activities/user-tasks/rebuild';
import * as shared from '../../activities/user-tasks/settle';
import type { PrismaClient } from '../../prisma/generated/client';
import type { TemporalGateway } from '../temporal-gateway';

export { settleReceipt } from '../../activities/user-tasks/settle';

/** What settling needs. */
export interface SettleDependencies {
  readonly database: PrismaClient;
  readonly gateway: TemporalGateway;
  readonly readSnapshot: SnapshotReader;
}

/**
 * Brings the row of a task whose workflow has closed to its end.
 * @see UT-276, UT-396; design.md, "A closed workflow with an open row"
 */
export async function settleClosed(
  { database, gateway, readSnapshot }: SettleDependencies,
  task: { readonly tenantId: string; readonly id: TaskId; readonly workflowId: string },
): Promise<void> {
  await shared.settleClosed(
    { database, readSnapshot, killedAt: (workflowId) => gateway.killedAt(workflowId) },
    task,
  );
}
