import { log, makeContinueAsNewFunc, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type {
  MaintenanceActivities,
  Page,
  PurgeCounts,
  RepairCounts,
  TaskKey,
} from '../activities/maintenance/maintenance-activities';
import type {
  DirectoryRequest,
  PurgeRequest,
  ReconcileRequest,
} from '../activities/maintenance/maintenance-requests';

const activities = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 4 },
});

/** Pages after which a pass continues as new; well before its history grows large. */
const PAGES_PER_RUN = 50;

const STAGES = ['children', 'rows', 'operations'] as const;

/**
 * One pass of repair: workflows without a row, open rows whose workflow has gone on, ended or lost its owner, and
 * operations that wait too long. Pages that fail are counted and passed over; the next pass meets them again.
 * @see UT-275..279
 */
export async function reconcileUserTasks(request: ReconcileRequest): Promise<RepairCounts> {
  const tenants = request.tenantIds.length === 0 ? [null] : request.tenantIds;
  const limit = Math.min(200, Math.max(1, request.pageSize));
  let { tenant, stage, after, counts } = request.position ?? {
    tenant: 0,
    stage: 0,
    after: null,
    counts: NOTHING,
  };
  for (let pages = 0; tenant < tenants.length; pages += 1) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await makeContinueAsNewFunc<typeof reconcileUserTasks>()({
        ...request,
        position: { tenant, stage, after, counts },
      });
    }
    const step = {
      tenantId: tenants[tenant] ?? null,
      after,
      limit,
      stage: STAGES[stage] ?? 'operations',
    };
    const done = await repairPage(request, step);
    counts = added(counts, done.counts);
    after = done.next;
    if (after !== null) continue;
    stage = (stage + 1) % STAGES.length;
    if (stage === 0) tenant += 1;
  }
  log.info('user tasks were reconciled', { ...counts });
  return counts;
}

interface RepairStep {
  readonly stage: (typeof STAGES)[number];
  readonly tenantId: string | null;
  readonly after: TaskKey | string | null;
  readonly limit: number;
}

async function repairPage(
  { untouchedForMs, staleAfterMs }: ReconcileRequest,
  { stage, tenantId, after, limit }: RepairStep,
): Promise<{ readonly counts: RepairCounts; readonly next: TaskKey | string | null }> {
  const request = { tenantId, limit, untouchedForMs };
  switch (stage) {
    case 'children': {
      const cursor = typeof after === 'string' ? after : null;
      return repaired(
        activities.listOpenChildren({ ...request, after: cursor }),
        activities.repairChildren,
      );
    }
    case 'rows': {
      const cursor = typeof after === 'string' ? null : after;
      return repaired(
        activities.listOpenRows({ ...request, after: cursor }),
        activities.repairRows,
      );
    }
    case 'operations': {
      const changed = await activities
        .flagStaleOperations({ tenantId, staleAfterMs, limit })
        .catch(missed('a page of operations', 0));
      // Whatever was flagged is not found again, so the same question goes on where it stopped.
      return { counts: NOTHING, next: changed >= limit ? 'more' : null };
    }
  }
}

/** Repairs a page. Where the page cannot be listed the stage ends; where it cannot be repaired the next page follows. */
async function repaired<Item, Cursor extends TaskKey | string>(
  listed: Promise<Page<Item, Cursor>>,
  repair: (items: readonly Item[]) => Promise<RepairCounts>,
): Promise<{ readonly counts: RepairCounts; readonly next: Cursor | null }> {
  const page = await listed.catch(missed('a list', null));
  if (page === null) return { counts: { ...NOTHING, failed: 1 }, next: null };
  if (page.items.length === 0) return { counts: NOTHING, next: page.next };
  const counts = await repair(page.items).catch(
    missed('a page', { ...NOTHING, failed: page.items.length }),
  );
  return { counts, next: page.next };
}

function missed<T>(what: string, instead: T): (error: unknown) => T {
  return (error) => {
    log.warn('maintenance passed over what failed', { what, error: String(error) });
    return instead;
  };
}

function added(one: RepairCounts, other: RepairCounts): RepairCounts {
  return {
    recreated: one.recreated + other.recreated,
    requeued: one.requeued + other.requeued,
    finalized: one.finalized + other.finalized,
    ambiguous: one.ambiguous + other.ambiguous,
    cancelled: one.cancelled + other.cancelled,
    failed: one.failed + other.failed,
  };
}

const NOTHING: RepairCounts = {
  recreated: 0,
  requeued: 0,
  finalized: 0,
  ambiguous: 0,
  cancelled: 0,
  failed: 0,
};

/**
 * Deletes closed tasks past their retention, tenant by tenant, and what has a short retention of its own.
 * @see UT-281..283
 */
export async function purgeUserTasks(request: PurgeRequest): Promise<PurgeCounts> {
  const { retentionDays, pageSize } = request;
  if (request.position === undefined) {
    const notificationsBefore = daysAgo(request.notificationDays);
    await activities.pruneLeftovers({ notificationsBefore }).catch(missed('leftovers', undefined));
  }
  if (retentionDays === null) return NOTHING_DELETED;
  const completedBefore = request.position?.completedBefore ?? daysAgo(retentionDays);
  let { tenantIds, after, counts } = request.position ?? {
    tenantIds: request.tenantIds.length > 0 ? request.tenantIds : await activities.listTenants(),
    after: null,
    counts: NOTHING_DELETED,
  };
  const limit = Math.min(200, Math.max(1, pageSize));
  for (let pages = 0; tenantIds.length > 0; pages += 1) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      const position = { tenantIds, completedBefore, after, counts };
      await makeContinueAsNewFunc<typeof purgeUserTasks>()({ ...request, position });
    }
    const [tenantId = ''] = tenantIds;
    const none = { ...NOTHING_DELETED, next: null };
    const page = await activities
      .purgePage({ tenantId, completedBefore, after, limit })
      .catch(missed('a page', none));
    counts = { deleted: counts.deleted + page.deleted, skipped: counts.skipped + page.skipped };
    after = page.next;
    if (after === null) tenantIds = tenantIds.slice(1);
  }
  log.info('closed user tasks were purged', { ...counts });
  return counts;
}

const NOTHING_DELETED: PurgeCounts = { deleted: 0, skipped: 0 };

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
}

/**
 * Brings people and groups from the directory into the database, for the participant picker, and marks open tasks that
 * show somebody whom it does not know. A tenant that fails is passed over.
 * @see UT-061, UT-241
 */
export async function syncDirectory({ pageSize, position }: DirectoryRequest): Promise<void> {
  let tenantIds = position?.tenantIds ?? (await activities.listDirectoryTenants());
  let after = position?.after ?? null;
  for (let pages = 0; tenantIds.length > 0; pages += 1) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await makeContinueAsNewFunc<typeof syncDirectory>()({
        pageSize,
        position: { tenantIds, after },
      });
    }
    const [tenantId = ''] = tenantIds;
    const known =
      after !== null ||
      (await activities.syncDirectory({ tenantId }).then(() => true, missed('a directory', false)));
    const page = known
      ? await activities
          .checkParticipants({ tenantId, after, limit: pageSize })
          .catch(missed('a page', { next: null }))
      : { next: null };
    after = page.next;
    if (after === null) tenantIds = tenantIds.slice(1);
  }
}
