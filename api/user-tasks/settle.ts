import { instantOf } from '../../domain/instant';
import type { TaskId } from '../../domain/ids';
import { receiptOf, type Receipt } from '../../domain/user-tasks/receipt';
import { applyDecision, decideSystem } from '../../domain/user-tasks/decide/decide';
import { isTerminal } from '../../domain/user-tasks/task';
import type { PrismaClient } from '../../prisma/generated/client';
import { project } from '../../activities/user-tasks/project';
import { rebuild, type SnapshotReader } from '../../activities/user-tasks/rebuild';
import type { TemporalGateway } from '../temporal-gateway';

/** What settling needs. */
export interface SettleDependencies {
  readonly database: PrismaClient;
  readonly gateway: TemporalGateway;
  readonly readSnapshot: SnapshotReader;
}

/** Projects a receipt; a row that does not fit it is rebuilt from its workflow. */
export async function settleReceipt(deps: SettleDependencies, receipt: Receipt): Promise<void> {
  const outcome = await project(deps.database, receipt);
  if (outcome === 'absent' || outcome === 'other-run') await rebuild(deps.database, receipt, deps.readSnapshot);
}

/**
 * Brings the row of a task whose workflow has closed to its end: what the workflow came to, or, where somebody ended it
 * from outside, cancelled because of that.
 * @see UT-276, UT-396; design.md, "A closed workflow with an open row"
 */
export async function settleClosed(
  deps: SettleDependencies,
  task: { readonly tenantId: string; readonly id: TaskId; readonly workflowId: string },
): Promise<void> {
  const snapshot = await deps.readSnapshot(task.tenantId, task.id);
  if (snapshot === null) return;
  await rebuild(deps.database, { tenantId: task.tenantId, taskId: task.id }, () => Promise.resolve(snapshot));
  if (isTerminal(snapshot.record.task.status) || (await deps.gateway.closure(task.workflowId)) !== 'killed') return;
  const context = { now: instantOf(Date.now()), canClose: false };
  const decision = decideSystem(snapshot.record, { kind: 'withdraw', cause: 'terminated' }, context);
  if (decision.kind !== 'accepted') return;
  const ended = applyDecision(snapshot.record, decision);
  await project(deps.database, receiptOf(ended, decision.events, decision.operation, snapshot.run));
}
