import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleOptions,
  type ScheduleOptionsAction,
} from '@temporalio/client';
import type { DirectoryRequest, PurgeRequest, ReconcileRequest } from './maintenance-requests';

/** When maintenance runs, and on what. */
export interface MaintenanceSchedule {
  /** Task queue of the user tasks; ids of the schedules begin with it, so that installations can share a namespace. */
  readonly taskQueue: string;
  /** Tenants that this installation looks after; empty for all. */
  readonly tenantIds: readonly string[];
  readonly reconcileEveryMs: number;
  /** Days for which closed tasks are kept; null for ever. */
  readonly retentionDays: number | null;
  /** Days for which notifications are kept that were delivered or given up. */
  readonly notificationDays: number;
  /** Milliseconds between two looks at the directory; null where there is none. */
  readonly directoryEveryMs: number | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Tasks in a page of maintenance. @see UT-278 */
const PAGE_SIZE = 100;

/** Milliseconds for which a task must have been left alone before repair looks at it. @see UT-278 */
const UNTOUCHED_FOR_MS = 5 * MINUTE_MS;

/**
 * Makes the Temporal Schedules of this installation what they should be, whatever they were: every worker does so when
 * it starts. Passes of one kind never overlap.
 * @see UT-278
 */
export async function ensureSchedules(client: Client, plan: MaintenanceSchedule): Promise<void> {
  const { taskQueue, tenantIds, retentionDays, notificationDays, directoryEveryMs } = plan;
  const reconcile: ReconcileRequest = {
    tenantIds,
    pageSize: PAGE_SIZE,
    untouchedForMs: UNTOUCHED_FOR_MS,
    staleAfterMs: UNTOUCHED_FOR_MS,
  };
  const purge: PurgeRequest = { tenantIds, pageSize: PAGE_SIZE, retentionDays, notificationDays };
  const directory: DirectoryRequest = { pageSize: PAGE_SIZE };
  await ensure(client, {
    taskQueue,
    name: 'reconcile',
    everyMs: plan.reconcileEveryMs,
    type: 'reconcileUserTasks',
    argument: reconcile,
  });
  await ensure(client, {
    taskQueue,
    name: 'purge',
    everyMs: DAY_MS,
    type: 'purgeUserTasks',
    argument: purge,
  });
  await ensure(client, {
    taskQueue,
    name: 'directory',
    everyMs: directoryEveryMs,
    type: 'syncDirectory',
    argument: directory,
  });
}

interface Plan {
  readonly taskQueue: string;
  readonly name: string;
  /** Null for a schedule that must not be. */
  readonly everyMs: number | null;
  readonly type: string;
  readonly argument: object;
}

async function ensure(
  client: Client,
  { taskQueue, name, everyMs, type, argument }: Plan,
): Promise<void> {
  const scheduleId = `${taskQueue}-${name}`;
  if (everyMs === null) return remove(client, scheduleId);
  const action = {
    type: 'startWorkflow',
    workflowType: type,
    workflowId: scheduleId,
    taskQueue,
    args: [argument],
  } satisfies ScheduleOptionsAction;
  const schedule = {
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: 'SKIP', catchupWindow: MINUTE_MS },
    action,
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    await client.schedule.create({ scheduleId, ...schedule });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Whether an operator has paused it is the operator's, and stays.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }));
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
