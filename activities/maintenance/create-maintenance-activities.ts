import { heartbeat } from '@temporalio/activity';
import { pruneNotifications } from '../notifications/prune-notifications';
import { checkParticipants } from './check-participants';
import type { MaintenanceDependencies } from './dependencies';
import type { MaintenanceActivities } from './maintenance-activities';
import { listChildren } from './open-children';
import { listOpenRows } from './open-rows';
import { pruneSnapshotMembers } from './prune';
import { listTenants, purgePage } from './purge';
import { repairChildren } from './repair-children';
import { repairRows } from './repair-rows';
import { flagStaleOperations } from './stale-operations';
import { syncParticipants } from './sync-directory';

/** The effects of the maintenance workflows. */
export function createMaintenanceActivities(deps: MaintenanceDependencies): MaintenanceActivities {
  const { client, database, directory, taskQueue, tenantIds, defaultTenantId } = deps;
  const beat = (): void => heartbeat();
  return {
    listTenants: () => listTenants(database),
    listOpenRows: (request) => listOpenRows(database, request),
    repairRows: (tasks) => repairRows(deps, tasks, beat),
    listOpenChildren: ({ untouchedForMs, ...request }) =>
      listChildren(client, {
        ...request,
        taskQueue,
        open: true,
        startedBefore: new Date(Date.now() - untouchedForMs),
      }),
    repairChildren: (workflowIds) => repairChildren(deps, workflowIds, beat),
    flagStaleOperations: (request) => flagStaleOperations(database, request, beat),
    purgePage: (request) => purgePage(deps, request, beat),
    pruneLeftovers: async ({ notificationsBefore }) => {
      await pruneSnapshotMembers(deps, beat);
      await pruneNotifications(database, new Date(notificationsBefore));
    },
    listDirectoryTenants: async () => {
      if (!directory.isReal) return [];
      return tenantIds.length > 0
        ? tenantIds
        : [...new Set([defaultTenantId, ...(await listTenants(database))])];
    },
    syncDirectory: ({ tenantId }) => syncParticipants(database, directory, tenantId, beat),
    checkParticipants: (request) => checkParticipants(database, request, beat),
  };
}
