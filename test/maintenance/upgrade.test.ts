import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { createUserTaskWorker } from '../../activities/worker';
import { createUserTaskActivities } from '../../activities/user-tasks/create-activities';
import { createSnapshotReader } from '../../activities/user-tasks/read-snapshot';
import { formProviders } from '../../forms/form-provider';
import { emptyDirectory } from '../../people/directory';
import { createDataConverter, createTaskWorkerDataConverter } from '../../platform/data-converter';
import { CLERKS } from '../builders/people';
import { clerk, expectAgreement, rowOf, send } from '../harness/acting';
import {
  createTaskStack,
  testKeyRing,
  type RaisedTask,
  type TaskStack,
} from '../harness/task-stack';
import {
  createTemporalEnvironment,
  uniqueTaskQueue,
  type TemporalEnvironment,
} from '../harness/temporal-environment';
import { within } from '../harness/within';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS] };
const complete = { kind: 'complete', operationId: 'end' } as const;

/** Starts a worker for the tasks of a stack with other code. */
async function startWorker(stack: TaskStack, temporal: TemporalEnvironment, workflowsPath: string) {
  const worker = await Worker.create({
    connection: temporal.environment.nativeConnection,
    namespace: stack.client.options.namespace,
    taskQueue: stack.taskQueue,
    workflowsPath,
    dataConverter: createTaskWorkerDataConverter(testKeyRing()),
    activities: createUserTaskActivities({
      database: stack.database,
      forms: formProviders([]),
      directory: emptyDirectory,
      readSnapshot: createSnapshotReader(stack.client),
    }),
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
  };
}

describe('an upgrade of the code of user tasks', () => {
  let stack: TaskStack;
  let temporal: TemporalEnvironment;
  beforeAll(async () => {
    const dataConverter = createDataConverter(testKeyRing());
    [stack, temporal] = await Promise.all([
      createTaskStack(),
      createTemporalEnvironment({ dataConverter }),
    ]);
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await temporal.teardown();
  });

  const claimed = async (): Promise<RaisedTask> => {
    const task = await stack.raise(input);
    await send(stack, task, clerk, { kind: 'claim' });
    return task;
  };
  const memoOf = async ({ workflowId }: { workflowId: string }) =>
    (await stack.client.workflow.getHandle(workflowId).describe()).memo;
  const replay = async (task: RaisedTask, changed: string): Promise<void> => {
    const history = await stack.client.workflow.getHandle(task.workflowId).fetchHistory();
    const workflowsPath = require.resolve(`./upgrade/${changed}`);
    const dataConverter = createDataConverter(testKeyRing());
    await Worker.runReplayHistory({ workflowsPath, dataConverter }, history, task.workflowId);
  };

  it('goes on with open tasks behind a guard, with their id, revision and answer (UT-113, UT-381)', async () => {
    const old = await claimed();
    await stack.stopWorker();
    const stop = await startWorker(stack, temporal, require.resolve('./upgrade/guarded'));
    try {
      expect(await rowOf(stack, old)).toMatchObject({ status: 'Assigned', revision: 2 });
      await send(stack, old, clerk, { ...complete, expectedRevision: 2 });
      expect(await old.owner.result()).toMatchObject({ actionKey: 'approve', taskId: old.taskId });
      await expectAgreement(stack, old);
      expect(await memoOf(old)).not.toHaveProperty('version');
      const fresh = await claimed();
      expect(await memoOf(fresh)).toMatchObject({ version: 2 });
      await send(stack, fresh, clerk, { ...complete, expectedRevision: 2 });
      await fresh.owner.result();
    } finally {
      await stop();
      await stack.startWorker();
    }
  }, 60_000);

  it('is stopped by the replay of a history when the guard is missing (UT-113)', async () => {
    const task = await claimed();
    await replay(task, 'guarded');
    await expect(replay(task, 'unguarded')).rejects.toThrow(DeterminismViolationError);
    await task.owner.cancel();
  }, 60_000);

  it('hands an open task from one deployment version to the next (UT-113)', async () => {
    const { client } = stack;
    const { namespace } = client.options;
    const taskQueue = uniqueTaskQueue('versioned');
    const deploymentName = uniqueTaskQueue('deployment');
    const start = async (buildId: string) => {
      const worker = await createUserTaskWorker({
        connection: temporal.environment.nativeConnection,
        namespace,
        taskQueue,
        client,
        database: stack.database,
        dataConverter: createTaskWorkerDataConverter(testKeyRing()),
        forms: formProviders([]),
        directory: emptyDirectory,
        maintenance: { tenantIds: [], defaultTenantId: '', onFailure: () => undefined },
        version: { deploymentName, buildId },
      });
      const running = worker.run();
      const version = { deploymentName, buildId };
      // Temporal knows a version once its worker has asked for work.
      await within(20_000, () =>
        client.workflowService.setWorkerDeploymentCurrentVersion({
          namespace,
          deploymentName,
          buildId,
        }),
      );
      return {
        version,
        stop: async () => {
          worker.shutdown();
          await running;
        },
      };
    };
    const versionOf = async ({ workflowId }: { workflowId: string }) => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
    };
    const first = await start('1.0');
    const task = await stack.raise(input, { with: { taskQueue } });
    await send(stack, task, clerk, { kind: 'claim' });
    expect(await versionOf(task)).toBe('1.0');
    const second = await start('1.1');
    await first.stop();
    await send(stack, task, clerk, { ...complete, expectedRevision: 2 });
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    expect(await versionOf(task)).toBe('1.1');
    await second.stop();
  }, 90_000);
});
