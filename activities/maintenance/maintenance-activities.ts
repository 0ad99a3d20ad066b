/** One task, as rows name it. */
export interface TaskKey {
  readonly tenantId: string;
  readonly taskId: string;
}

/** Some of what is to be looked at, and where the next page begins; null after the last. */
export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

/** Which part of a list to read. A null tenant stands for all of them. */
export interface PageRequest<Cursor> {
  readonly tenantId: string | null;
  readonly after: Cursor | null;
  readonly limit: number;
}

/**
 * What repair did: rows made again, rows brought up to an open task, rows brought to the end of a closed one, records
 * that nobody can explain, tasks cancelled since no owner awaits them, and tasks that could not be looked at.
 * @see UT-275
 */
export interface RepairCounts {
  readonly recreated: number;
  readonly requeued: number;
  readonly finalized: number;
  readonly ambiguous: number;
  readonly cancelled: number;
  readonly failed: number;
}

export const NOTHING_REPAIRED: RepairCounts = {
  recreated: 0,
  requeued: 0,
  finalized: 0,
  ambiguous: 0,
  cancelled: 0,
  failed: 0,
};

/** What the purge did. Tasks that are skipped are looked at again by the next one. */
export interface PurgeCounts {
  readonly deleted: number;
  readonly skipped: number;
}

/** Effects of the maintenance workflows. Every one may run twice, and on several nodes at once. */
export interface MaintenanceActivities {
  /** Tenants that have tasks. */
  listTenants(): Promise<readonly string[]>;
  /** Open rows that nothing has touched for a while, in the order of their keys. */
  listOpenRows(
    request: PageRequest<TaskKey> & { readonly untouchedForMs: number },
  ): Promise<Page<TaskKey, TaskKey>>;
  /** Compares open rows with their workflows, and brings them up to date. */
  repairRows(tasks: readonly TaskKey[]): Promise<RepairCounts>;
  /** Workflows of open tasks that have run for a while; the cursor is Temporal's. */
  listOpenChildren(
    request: PageRequest<string> & { readonly untouchedForMs: number },
  ): Promise<Page<string, string>>;
  /** Makes the rows that are missing for these workflows. */
  repairChildren(workflowIds: readonly string[]): Promise<RepairCounts>;
  /** Raises and clears `stale-transition`. @returns how many tasks it changed, so that the caller goes on until none */
  flagStaleOperations(request: {
    readonly tenantId: string | null;
    readonly staleAfterMs: number;
    readonly limit: number;
  }): Promise<number>;
  /** Purges a page of the tasks that closed before an instant; oldest first. */
  purgePage(request: {
    readonly tenantId: string;
    readonly completedBefore: string;
    readonly after: ClosedTaskCursor | null;
    readonly limit: number;
  }): Promise<PurgeCounts & { readonly next: ClosedTaskCursor | null }>;
  /** Deletes what a short retention lets go: settled notifications, and members of snapshots that belong to no task. */
  pruneLeftovers(request: { readonly notificationsBefore: string }): Promise<void>;
  /** Tenants whose people are brought from the directory; none where there is no directory. */
  listDirectoryTenants(): Promise<readonly string[]>;
  /** Brings the people and groups of a tenant from the directory. @returns how many there are */
  syncDirectory(request: { readonly tenantId: string }): Promise<number>;
  /** Raises and clears `participant-display-unknown` on a page of open tasks. */
  checkParticipants(
    request: PageRequest<TaskKey> & { readonly tenantId: string },
  ): Promise<{ readonly next: TaskKey | null }>;
}

/** Where a list of closed tasks goes on. */
export interface ClosedTaskCursor {
  readonly completedAt: string;
  readonly taskId: string;
}
