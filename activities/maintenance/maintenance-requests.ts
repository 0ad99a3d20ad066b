import type {
  ClosedTaskCursor,
  PurgeCounts,
  RepairCounts,
  TaskKey,
} from './maintenance-activities';

/** What repair looks at, and how far it has come. The position is the workflow's own. */
export interface ReconcileRequest {
  /** Tenants to repair, one after the other; empty for all. @see UT-278 */
  readonly tenantIds: readonly string[];
  /** Tasks in a page, 1 to 200. */
  readonly pageSize: number;
  /** Milliseconds for which a task must have been left alone before it is looked at. */
  readonly untouchedForMs: number;
  /** Milliseconds after which an operation that is not settled raises `stale-transition`. */
  readonly staleAfterMs: number;
  readonly position?: {
    readonly tenant: number;
    readonly stage: number;
    readonly after: TaskKey | string | null;
    readonly counts: RepairCounts;
  };
}

/** What the purge is to delete, and how far it has come. */
export interface PurgeRequest {
  /** Tenants to purge; empty for all. */
  readonly tenantIds: readonly string[];
  readonly pageSize: number;
  /** Days after which closed tasks go; null keeps them for ever. @see UT-281 */
  readonly retentionDays: number | null;
  /** Days after which notifications go that have been delivered or given up. */
  readonly notificationDays: number;
  readonly position?: {
    readonly tenantIds: readonly string[];
    readonly completedBefore: string;
    readonly after: ClosedTaskCursor | null;
    readonly counts: PurgeCounts;
  };
}

/** How far the directory has been brought over. */
export interface DirectoryRequest {
  readonly pageSize: number;
  readonly position?: { readonly tenantIds: readonly string[]; readonly after: TaskKey | null };
}
