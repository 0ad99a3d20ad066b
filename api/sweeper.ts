import type { TaskId } from '../domain/ids';
import { parseCommand } from '../domain/user-tasks/parse-command';
import { COMMAND_KINDS, type CommandKind } from '../domain/user-tasks/commands';
import { OPERATION_KIND } from '../domain/user-tasks/operation';
import { isRejection } from '../domain/user-tasks/definition';
import type { Logger } from '../platform/logger';
import { describeError } from './describe-error';
import {
  markSent,
  rejectPending,
  removePending,
  type OperationKey,
} from './user-tasks/operation-store';
import { settleClosed, settleReceipt, type SettleDependencies } from './user-tasks/settle';

/** What the sweeper needs. */
export interface SweeperDependencies extends SettleDependencies {
  readonly logger: Logger;
  /** Milliseconds after which a pending operation is taken to have lost its sender. */
  readonly sweepAfterMs: number;
}

/** What one pass did. */
export interface SweepResult {
  readonly taken: number;
  readonly settled: number;
}

interface Pending {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly operationId: string;
  readonly workflowId: string;
  readonly revision: number;
  readonly kind: string;
  readonly via: 'update' | 'signal' | null;
  readonly notAfter: Date | null;
  readonly sentAt: Date | null;
  readonly command: unknown;
}

const BATCH = 50;
const ASK_TIMEOUT_MS = 5_000;

/** Seconds past its deadline before an operation that nobody knows is removed: clocks of two machines may differ. */
const GRACE_SECONDS = 30;

/**
 * Settles operations whose sender died between sending and projecting. Taking one bumps its `updated_at`, so several
 * processes share the work and one that dies gives it back.
 * @see UT-400; design.md, "Who projects", way 1
 */
export async function sweep(deps: SweeperDependencies): Promise<SweepResult> {
  const taken = await deps.database.$queryRawUnsafe<Pending[]>(
    TAKE_PENDING,
    deps.sweepAfterMs / 1000,
    BATCH,
  );
  let settled = 0;
  for (const pending of taken) {
    try {
      if (await settle(deps, pending)) settled += 1;
    } catch (error) {
      deps.logger.warn(
        { error: describeError(error), taskId: pending.taskId },
        'a pending operation could not be settled yet',
      );
    }
  }
  return { taken: taken.length, settled };
}

/** Sweeps again and again until it is stopped; a failed pass is logged and the next one comes. */
export function startSweeper(deps: SweeperDependencies): { stop: () => Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let pass = Promise.resolve();
  const next = (): void => {
    timer = setTimeout(() => {
      pass = sweep(deps)
        .then(({ settled }) => {
          if (settled > 0) deps.logger.info({ settled }, 'settled pending operations');
        })
        .catch((error: unknown) =>
          deps.logger.warn({ error: describeError(error) }, 'a sweep failed'),
        )
        .finally(() => {
          if (!stopped) next();
        });
    }, deps.sweepAfterMs / 2);
  };
  next();
  return {
    stop: async () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await pass;
    },
  };
}

async function settle(deps: SweeperDependencies, pending: Pending): Promise<boolean> {
  const { tenantId, taskId, operationId } = pending;
  // Only these: a record with more is no key for Prisma, whose complaint would quote the command.
  const key: OperationKey = { tenantId, taskId, operationId };
  if (pending.via === 'signal' && pending.sentAt === null) return sendAgain(deps, pending, key);
  const outcome = await deps.gateway.recorded(
    pending.workflowId,
    pending.operationId,
    ASK_TIMEOUT_MS,
  );
  switch (outcome.kind) {
    case 'accepted':
      await settleReceipt(deps, outcome.receipt);
      return true;
    case 'refused':
      await removePending(deps.database, key);
      return true;
    case 'closed':
      return settleLate(deps, pending, key);
    case 'unrecorded':
      if (pending.via === 'signal' || !isPastDeadline(pending)) return false;
      await removePending(deps.database, key);
      return true;
    default:
      return false;
  }
}

/** The workflow is closed and knows nothing of the operation: a signal is refused for good, an update never was. */
async function settleLate(
  deps: SweeperDependencies,
  pending: Pending,
  key: OperationKey,
): Promise<boolean> {
  await settleClosed(deps, {
    tenantId: pending.tenantId,
    id: pending.taskId,
    workflowId: pending.workflowId,
  });
  if (pending.via === 'signal')
    await rejectPending(deps.database, key, 'terminal', pending.revision);
  else await removePending(deps.database, key);
  return true;
}

async function sendAgain(
  deps: SweeperDependencies,
  pending: Pending,
  key: OperationKey,
): Promise<boolean> {
  const kind = COMMAND_KINDS.find(
    (candidate: CommandKind) => OPERATION_KIND[candidate] === pending.kind,
  );
  if (kind === undefined) throw new Error(`no command is recorded as ${pending.kind}`);
  const command = parseCommand(kind, pending.command);
  if (isRejection(command)) throw new Error(`the stored command cannot be read: ${command.detail}`);
  const outcome = await deps.gateway.signal(pending.workflowId, command);
  if (outcome === 'closed') return settleLate(deps, pending, key);
  if (outcome === 'sent') await markSent(deps.database, key);
  return outcome === 'sent';
}

function isPastDeadline({ notAfter }: Pending): boolean {
  return notAfter !== null && Date.now() > notAfter.getTime() + GRACE_SECONDS * 1000;
}

const TAKE_PENDING = `
with taken as (
  update user_task_operations o set updated_at = now()
  from (
    select tenant_id, task_id, operation_id from user_task_operations
    where status = 'Pending' and updated_at < now() - make_interval(secs => $1::double precision)
    order by created_at limit $2::integer for update skip locked) due
  where o.tenant_id = due.tenant_id and o.task_id = due.task_id and o.operation_id = due.operation_id
  returning o.*)
select o.tenant_id as "tenantId", o.task_id as "taskId", o.operation_id as "operationId", t.workflow_id as "workflowId",
  t.revision, o.kind, o.via, o.not_after as "notAfter", o.sent_at as "sentAt", o.command
from taken o join user_tasks t on t.tenant_id = o.tenant_id and t.id = o.task_id`;
