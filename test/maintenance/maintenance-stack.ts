import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createMaintenanceActivities } from '../../activities/maintenance/create-maintenance-activities';
import type { MaintenanceDependencies } from '../../activities/maintenance/dependencies';
import type {
  PurgeCounts,
  RepairCounts,
} from '../../activities/maintenance/maintenance-activities';
import { createSnapshotReader } from '../../activities/user-tasks/read-snapshot';
import { emptyDirectory } from '../../people/directory';
import { createDataConverter } from '../../platform/data-converter';
import type {
  DirectoryRequest,
  PurgeRequest,
  ReconcileRequest,
} from '../../activities/maintenance/maintenance-requests';
import {
  createTaskStack,
  testKeyRing,
  type TaskAddress,
  type TaskStack,
  type TaskStackOptions,
} from '../harness/task-stack';
import { testEnvironment } from '../harness/test-environment';
import { uniqueTaskQueue } from '../harness/temporal-environment';

/** Tasks, and maintenance on a worker of its own beside them, so that either can be away while the other works. */
export interface MaintenanceStack {
  readonly stack: TaskStack;
  readonly deps: MaintenanceDependencies;
  /** Task queue of the maintenance workflows. */
  readonly taskQueue: string;
  /** Tasks that could not be looked at. */
  readonly failures: readonly string[];
  reconcile(request?: Partial<ReconcileRequest>): Promise<RepairCounts>;
  purge(request?: Partial<PurgeRequest>): Promise<PurgeCounts>;
  syncDirectory(request?: Partial<DirectoryRequest>): Promise<void>;
  /** Throws the rows of a task away, as the loss of a database does. */
  loseRows(task: TaskAddress): Promise<void>;
  close(): Promise<void>;
}

export async function createMaintenanceStack(
  options: TaskStackOptions = {},
): Promise<MaintenanceStack> {
  const stack = await createTaskStack(options);
  const { client, database } = stack;
  const { address, namespace } = testEnvironment();
  const connection = await NativeConnection.connect({ address });
  const taskQueue = uniqueTaskQueue('maintenance');
  const failures: string[] = [];
  const deps: MaintenanceDependencies = {
    database,
    client,
    readSnapshot: createSnapshotReader(client, 3_000),
    directory: options.directory ?? emptyDirectory,
    taskQueue: stack.taskQueue,
    tenantIds: [],
    defaultTenantId: '',
    onFailure: (task) => failures.push(task),
  };
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter: createDataConverter(testKeyRing()),
    workflowsPath: require.resolve('../../workflows/maintenance'),
    activities: createMaintenanceActivities(deps),
  });
  const running = worker.run();
  const run = <T>(type: string, argument: object): Promise<T> =>
    client.workflow.execute(type, {
      workflowId: `${type}-${randomUUID()}`,
      taskQueue,
      args: [argument],
    }) as Promise<T>;
  return {
    stack,
    deps,
    taskQueue,
    failures,
    reconcile: (request = {}) => run('reconcileUserTasks', { ...RECONCILE, ...request }),
    purge: (request = {}) => run('purgeUserTasks', { ...PURGE, ...request }),
    syncDirectory: (request = {}) => run('syncDirectory', { pageSize: 2, ...request }),
    loseRows: async ({ taskId }) => {
      await database.$transaction([
        database.$executeRaw`set local countersign.purge = 'on'`,
        database.userTask.deleteMany({ where: { id: taskId } }),
      ]);
    },
    close: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await stack.close();
    },
  };
}

/** Small pages, so that every pass has several. */
const RECONCILE: ReconcileRequest = {
  tenantIds: [],
  pageSize: 2,
  untouchedForMs: 0,
  staleAfterMs: 300_000,
};

const PURGE: PurgeRequest = { tenantIds: [], pageSize: 2, retentionDays: 30, notificationDays: 7 };
