import type { TaskId } from '../../domain/ids';
import type { Instant } from '../../domain/instant';
import { applyDecision, decideSystem } from '../../domain/user-tasks/decide/decide';
import type { TaskRecord } from '../../domain/user-tasks/decide/decision';
import { receiptOf, type Receipt, type TaskSnapshot } from '../../domain/user-tasks/receipt';
import { isTerminal } from '../../domain/user-tasks/task';
import type { PrismaClient } from '../../prisma/generated/client';
import { raiseIssue } from './outside-issues';
import { project } from './project';
import { rebuild, type SnapshotReader } from './rebuild';

/** What settling needs. */
export interface SettleDependencies {
  readonly database: PrismaClient;
  readonly readSnapshot: SnapshotReader;
  /** When the workflow was ended from outside; null when it runs or has ended by itself, or is kept no more. */
  readonly killedAt: (workflowId: string) => Promise<Instant | null>;
}

/** Projects a receipt; a row that does not fit it is rebuilt from its workflow. */
export async function settleReceipt(
  deps: Pick<SettleDependencies, 'database' | 'readSnapshot'>,
  receipt: Receipt,
): Promise<void> {
  const outcome = await project(deps.database, receipt);
  if (outcome === 'absent' || outcome === 'other-run')
    await rebuild(deps.database, receipt, deps.readSnapshot);
}

/**
 * Brings the row of a task whose workflow has closed to its end: what the workflow came to, or, where somebody ended it
 * from outside, cancelled because of that and flagged for an operator.
 * @returns false when the workflow can be asked no more; nothing has then changed
 * @see UT-276, UT-396; design.md, "A closed workflow with an open row"
 */
export async function settleClosed(
  deps: SettleDependencies,
  task: { readonly tenantId: string; readonly id: TaskId; readonly workflowId: string },
): Promise<boolean> {
  const snapshot = await deps.readSnapshot(task.tenantId, task.id);
  if (snapshot === null) return false;
  const key = { tenantId: task.tenantId, taskId: task.id };
  const outcome = await rebuild(deps.database, key, () => Promise.resolve(snapshot));
  if (outcome === 'purged' || outcome === 'foreign' || isTerminal(snapshot.record.task.status))
    return true;
  const at = await deps.killedAt(task.workflowId);
  if (at === null) return true;
  // Flagged first: as long as the row is open, a repetition finds it again.
  await raiseIssue(deps.database, key, 'ambiguous-record');
  await project(deps.database, withoutEnd(snapshot, at));
  return true;
}

/** The receipt for the end of a task whose workflow was ended from outside at `at`: the same whoever makes it. */
export function withoutEnd(snapshot: TaskSnapshot, at: Instant): Receipt {
  const decision = decideSystem(
    snapshot.record,
    { kind: 'withdraw', cause: 'terminated' },
    { now: at, canClose: false },
  );
  if (decision.kind !== 'accepted') throw new Error('a closed task cannot be withdrawn');
  const ended: TaskRecord = applyDecision(snapshot.record, decision);
  return receiptOf(ended, decision.events, decision.operation, snapshot.run);
}
