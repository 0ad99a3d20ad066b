import { NativeConnection, Worker } from '@temporalio/worker';
import { sweep } from '../../api/sweeper';
import { TemporalGateway } from '../../api/temporal-gateway';
import { rebuild } from '../../activities/user-tasks/rebuild';
import { createDataConverter } from '../../platform/data-converter';
import { agePending } from '../harness/acting';
import { createHttpStack, type HttpStack } from '../harness/http-stack';
import { testKeyRing, type RaisedTask } from '../harness/task-stack';
import { uniqueTaskQueue } from '../harness/temporal-environment';
import { testEnvironment } from '../harness/test-environment';
import { within } from '../harness/within';
import { m, participant, w1 } from './people';

const input = { title: 'Approve', assignee: participant('user', 'w1') };
const completion = { expectedRevision: 1, operationId: 'OP1', actionKey: 'approve' };

/** Loses its process once a task has answered. */
class DyingGateway extends TemporalGateway {
  readonly die: () => void;
  constructor(stack: Pick<HttpStack, 'client'>, die: () => void) {
    super(stack.client, { answerTimeoutMs: 10_000 });
    this.die = die;
  }
  override async update(...sent: Parameters<TemporalGateway['update']>) {
    const outcome = await super.update(...sent);
    this.die();
    return outcome;
  }
}

/** A worker for owners alone, beside the one that runs their tasks. */
async function startOwnerWorker(taskQueue: string): Promise<{ stop(): Promise<void> }> {
  const { address, namespace } = testEnvironment();
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter: createDataConverter(testKeyRing()),
    workflowsPath: require.resolve('../workflows/owners'),
  });
  const running = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

describe('S19: processes that end around a completion', () => {
  let stack: HttpStack;
  beforeAll(async () => {
    stack = await createHttpStack({ answerTimeoutMs: 1_500 });
  }, 60_000);
  afterAll(() => stack.close());
  afterEach(async () => {
    stack.apiDatabase.restore();
    stack.workerDatabase.restore();
    await stack.startWorker();
  });

  const complete = (task: RaisedTask, as = stack.as) =>
    as(w1).post(`/user-tasks/${task.taskId}/complete`, completion);

  /** One result, one row, one terminal event, one operation that says so. */
  async function expectOneEnd(task: RaisedTask): Promise<void> {
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'approve',
      completedBy: { id: 'w1' },
    });
    const { events } = await stack.as(m).readOnce(task.taskId, 'Completed');
    const kinds = events.items.map(({ kind }) => kind);
    expect(kinds).toEqual(['Created', 'CompletionRequested', 'Completed']);
    expect(await stack.database.userTask.count({ where: { id: task.taskId } })).toBe(1);
    const operation = `/user-tasks/${task.taskId}/operations/OP1`;
    await within(
      10_000,
      async () => (await stack.as(w1).get(operation)).body['status'] === 'completed',
    );
    expect((await complete(task)).status).toBe(202);
    expect((await stack.as(m).read(task.taskId)).events.items).toHaveLength(3);
  }

  it('converge when the worker ends between start and first projection (UT-378, UT-280)', async () => {
    stack.workerDatabase.cut();
    const raising = stack.raise(input);
    await within(20_000, async () => {
      const children = await stack.client.workflowService.listWorkflowExecutions({
        namespace: stack.client.options.namespace,
        query: `TaskQueue = "${stack.taskQueue}" and WorkflowType = "userTask"`,
      });
      return children.executions.length > 0;
    });
    await stack.stopWorker();
    stack.workerDatabase.restore();
    await stack.startWorker();
    const task = await raising;
    expect((await complete(task)).status).toBe(202);
    await expectOneEnd(task);
  });

  it('converge when no worker runs and the API gives up between sending and acceptance (UT-378, UT-280)', async () => {
    const task = await stack.raise(input);
    await stack.stopWorker();
    const unknown = await complete(task);
    expect([unknown.status, unknown.body['code']]).toEqual([504, 'outcome-unknown']);
    await stack.startWorker();
    await task.owner.result();
    await agePending(stack, 60);
    const other = await stack.startNode();
    await within(20_000, async () => (await sweep(other.deps)).settled > 0);
    await other.close();
    await expectOneEnd(task);
  });

  it('converge when the API loses its database between acceptance and projection (UT-378, UT-280)', async () => {
    const task = await stack.raise(input);
    const dying = await stack.startNode({
      database: stack.deps.database,
      gateway: new DyingGateway(stack, () => stack.apiDatabase.cut()),
    });
    const unknown = await complete(task, dying.as);
    expect([unknown.status, unknown.body['code']]).toEqual([504, 'outcome-unknown']);
    const other = await stack.startNode();
    expect((await other.as(m).read(task.taskId)).status).toBe('Assigned');
    expect((await complete(task, other.as)).status).toBe(202);
    stack.apiDatabase.restore();
    await dying.close();
    await other.close();
    await expectOneEnd(task);
  });

  it('converge when the worker ends between acceptance and close (UT-378, UT-280)', async () => {
    const task = await stack.raise(input);
    stack.workerDatabase.cut();
    const prefer = { headers: { prefer: 'respond-async' } };
    const path = `/user-tasks/${task.taskId}/complete`;
    expect((await stack.as(w1).post(path, completion, prefer)).status).toBe(202);
    const handle = stack.client.workflow.getHandle(task.workflowId);
    await within(
      20_000,
      async () => ((await handle.describe()).raw.pendingActivities ?? []).length > 0,
    );
    await stack.stopWorker();
    stack.workerDatabase.restore();
    await stack.startWorker();
    await expectOneEnd(task);
  });

  it('converge when the owner’s worker ends between close and the owner’s next step (UT-378, UT-280)', async () => {
    const taskQueue = uniqueTaskQueue('owners');
    let worker = await startOwnerWorker(taskQueue);
    const owner = await stack.client.workflow.start('oneTask', {
      workflowId: `owner-${taskQueue}`,
      taskQueue,
      args: [{ tenantId: 'acme', taskQueue: stack.taskQueue, input }],
    });
    const [address] = await stack.tasksOf(owner.workflowId, 1);
    await worker.stop();
    const task = { ...address!, owner };
    expect((await complete(task)).status).toBe(202);
    expect((await owner.describe()).status.name).toBe('RUNNING');
    worker = await startOwnerWorker(taskQueue);
    await expectOneEnd(task);
    await worker.stop();
  });

  it('leave a task whose row is gone to repair, which makes one identical row (UT-378, UT-276)', async () => {
    const task = await stack.raise(input);
    const due = { expectedRevision: 1, dueAt: '2126-01-01T00:00:00.000Z', priority: 70 };
    await stack.as(m).patch(`/user-tasks/${task.taskId}`, due);
    const [before, read] = [
      await stack.database.userTask.findMany({ where: { id: task.taskId } }),
      await stack.as(w1).read(task.taskId),
    ];
    await stack.database.$transaction([
      stack.database.$executeRaw`set local countersign.purge = 'on'`,
      stack.database.userTask.deleteMany({ where: { id: task.taskId } }),
    ]);
    expect((await stack.as(w1).get(`/user-tasks/${task.taskId}`)).status).toBe(404);
    const key = { tenantId: 'acme', taskId: task.taskId };
    for (const outcome of ['created', 'followed']) {
      expect(await rebuild(stack.database, key, stack.deps.readSnapshot)).toBe(outcome);
    }
    expect(await stack.database.userTask.findMany({ where: { id: task.taskId } })).toEqual(before);
    expect(await stack.as(w1).read(task.taskId)).toEqual(read);
    const end = { ...completion, expectedRevision: 2 };
    await stack.as(w1).post(`/user-tasks/${task.taskId}/complete`, end);
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
  });
});
