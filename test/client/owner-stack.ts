import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { executeCommand, type CommandDraft } from '../../api/user-tasks/execute-command';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import type { Person } from '../../domain/user-tasks/actor';
import { createDataConverter } from '../../client';
import { CLERKS, MANAGER_GRANTS, person, TENANT } from '../builders/people';
import { createTaskStack, testKeyRing, type TaskStack } from '../harness/task-stack';
import { testEnvironment } from '../harness/test-environment';
import { within } from '../harness/within';
import { OWNERS_SUFFIX } from './owners-suffix';
import type * as owners from './owners';

export type OwnerName = Exclude<keyof typeof owners, `${string}Query` | `${string}Signal`>;

/** Owners of user tasks on a worker and a task queue of their own, beside the stack that runs the tasks. */
export interface OwnerStack {
  readonly stack: TaskStack;
  readonly taskQueue: string;
  start(
    name: OwnerName,
    input?: owners.OwnerStart['input'],
    more?: object,
  ): Promise<WorkflowHandle>;
  /** Starts an owner of another module with an argument of its own. */
  startExample(name: string, argument: unknown): Promise<WorkflowHandle>;
  /** Task ids that the owner has raised, once each has its row. */
  raisedBy(owner: WorkflowHandle, count?: number): Promise<readonly TaskId[]>;
  /** Has a person do something to a task, by way of the API's own path. */
  send(taskId: TaskId, command: CommandDraft, by?: Person): Promise<void>;
  claimAndComplete(
    taskId: TaskId,
    actionKey: string,
    data?: CommandOf<'complete'>['data'],
  ): Promise<void>;
  /** Status of the task's workflow in Temporal. */
  taskStatus(taskId: TaskId): Promise<string>;
  rowOf(taskId: TaskId): ReturnType<TaskStack['database']['userTask']['findFirstOrThrow']>;
  stopOwners(): Promise<void>;
  startOwners(): Promise<void>;
  close(): Promise<void>;
}

type CommandOf<K extends CommandDraft['kind']> = Extract<CommandDraft, { kind: K }>;

export const clerk = person('clerk', { groups: [CLERKS] });
export const manager = person('manager', { grants: MANAGER_GRANTS });

const forClerks = { title: 'Invoice 4711', candidateGroups: [CLERKS] };

/**
 * @param workflowsPath - what the owners' worker registers
 */
export async function createOwnerStack(
  workflowsPath = require.resolve('./owners'),
): Promise<OwnerStack> {
  const stack = await createTaskStack();
  // The owners' queue is named after the tasks', so that an owner without arguments can find them.
  const taskQueue = `${stack.taskQueue}${OWNERS_SUFFIX}`;
  const { address, namespace } = testEnvironment();
  const connection = await NativeConnection.connect({ address });
  const dataConverter = createDataConverter(testKeyRing());
  const startOwners = async () => {
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowsPath,
      dataConverter,
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  let stopOwners: (() => Promise<void>) | null = await startOwners();
  const { database } = stack;
  const send: OwnerStack['send'] = async (taskId, command, by = clerk) => {
    await executeCommand(stack.deps, { person: by, taskId, command, respondAsync: false });
  };
  return {
    stack,
    taskQueue,
    start: (name, input = forClerks, more = {}) =>
      stack.client.workflow.start(name, {
        workflowId: `${name}-${randomUUID()}`,
        taskQueue,
        args: [{ tenantId: TENANT, taskQueue: stack.taskQueue, input, ...more }],
      }),
    startExample: (name, argument) =>
      stack.client.workflow.start(name, {
        workflowId: `${name}-${randomUUID()}`,
        taskQueue,
        args: [argument],
      }),
    raisedBy: (owner, count = 1) =>
      within(15_000, async () => {
        const raised = await owner.query<readonly TaskId[]>('raised');
        const rows = await database.userTask.findMany({
          where: { ownerWorkflowId: owner.workflowId },
        });
        return rows.length >= count && raised;
      }),
    send,
    claimAndComplete: async (taskId, actionKey, data = null) => {
      await send(taskId, { kind: 'claim', expectedRevision: 1, operationId: null });
      await send(taskId, {
        kind: 'complete',
        expectedRevision: 2,
        operationId: `complete ${taskId}`,
        actionKey,
        data,
      });
    },
    taskStatus: async (taskId) =>
      (await stack.client.workflow.getHandle(taskWorkflowId(TENANT, taskId)).describe()).status
        .name,
    rowOf: (taskId) => database.userTask.findFirstOrThrow({ where: { id: taskId } }),
    stopOwners: async () => {
      await stopOwners?.();
      stopOwners = null;
    },
    startOwners: async () => {
      stopOwners ??= await startOwners();
    },
    close: async () => {
      await stopOwners?.();
      await connection.close();
      await stack.close();
    },
  };
}
