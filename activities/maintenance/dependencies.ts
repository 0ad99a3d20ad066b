import type { Client } from '@temporalio/client';
import type { SnapshotReader } from '../user-tasks/rebuild';
import type { Directory } from '../../people/directory';
import type { PrismaClient } from '../../prisma/generated/client';

/** What maintenance needs. */
export interface MaintenanceDependencies {
  readonly database: PrismaClient;
  readonly client: Client;
  readonly readSnapshot: SnapshotReader;
  readonly directory: Directory;
  /** Task queue on which user tasks run: other installations may share the namespace. */
  readonly taskQueue: string;
  /** Tenants whose people are brought from the directory; empty for all that have tasks, and the default one. */
  readonly tenantIds: readonly string[];
  readonly defaultTenantId: string;
  /** Told of a task that could not be looked at; the pass goes on. Never receives anything protected. */
  readonly onFailure: (task: string, error: unknown) => void;
}
