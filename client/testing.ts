import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import {
  ApplicationFailure,
  type DataConverter,
  type Duration,
  type Workflow,
} from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { isRecord, type Json } from '../domain/json';
import type { Person } from '../domain/user-tasks/actor';
import type { CompleteCommand, TaskCommand } from '../domain/user-tasks/commands';
import { isRejection } from '../domain/user-tasks/definition';
import { isSameParticipant, type ParticipantReference } from '../domain/user-tasks/participant';
import { isRejectionCode, rejection, type Rejection } from '../domain/user-tasks/rejection';
import { isTerminal, type TaskState } from '../domain/user-tasks/task';
import { formProviders, type FormProvider } from '../forms/form-provider';
import { commandUpdates, snapshotQuery } from '../workflows/messages';
import { withTenant, type Participant } from './participants';
import { MANAGER_GRANTS, personFor, type By } from './testing/person-for';
import { registerSearchAttributes } from './testing/search-attributes';
import { TaskMemory, type RememberedTask } from './testing/task-memory';
import { matches, testTaskOf, type TaskMatch, type TestTask } from './testing/test-task';

export type { By } from './testing/person-for';
export type { TaskMatch, TestTask } from './testing/test-task';

/** What a test of workflows that raise user tasks starts from. */
export interface UserTaskTestingOptions {
  /** `TestWorkflowEnvironment.createTimeSkipping()`, or a local or existing server, where time does not skip. */
  readonly environment: TestWorkflowEnvironment;
  /** Module that exports the workflows under test. Give this or `workflowBundle`. */
  readonly workflowsPath?: string;
  readonly workflowBundle?: WorkerOptions['workflowBundle'];
  /** Activities of the workflows under test. */
  readonly activities?: object;
  /** Task queue of the workflows under test; one of its own unless given. */
  readonly taskQueue?: string;
  /** Task queue to which the workflows send their user tasks; `countersign` unless they configure another. */
  readonly userTaskQueue?: string;
  /** The converter that the environment's client was made with, if it was made with one. */
  readonly dataConverter?: DataConverter;
  /** Providers of the forms that tasks ask for. */
  readonly formProviders?: readonly FormProvider[];
  /** Members of groups, for Snapshot membership; without it there is no directory. */
  readonly members?: (group: ParticipantReference) => readonly Participant[] | null;
}

/** Answers user tasks in the place of people. */
export interface UserTaskTesting {
  /** Task queue of the workflows under test. */
  readonly taskQueue: string;
  /** Starts a workflow under test. */
  start<T extends Workflow>(
    workflow: T | string,
    options: { readonly args: Parameters<T>; readonly workflowId?: string },
  ): Promise<WorkflowHandle<T>>;
  /**
   * Waits, in real time, until an open task fits.
   * @throws {Error} listing the tasks that there are, when none has after `timeoutMs`; 10,000 unless given
   */
  waitForTask(match?: TaskMatch, options?: { readonly timeoutMs?: number }): Promise<TestTask>;
  /** Every task that was raised, oldest first. */
  tasks(): readonly TestTask[];
  /** Claims a task. @throws {UserTaskRefused} */
  claim(task: TaskReference, options?: { readonly by?: By }): Promise<void>;
  /**
   * Completes a task, and claims it before if nobody holds it. The data is checked as Countersign checks it.
   * @throws {UserTaskRefused} for an unknown action, data that does not fit, somebody who may not
   */
  answer(
    task: TaskReference,
    action: string,
    data?: Json,
    options?: { readonly by?: By },
  ): Promise<void>;
  /** Cancels a task as a manager. @throws {UserTaskRefused} where the task has no such outcome */
  cancel(task: TaskReference, reason: string, options?: { readonly by?: By }): Promise<void>;
  /** Lets time pass: timers that end meanwhile fire. */
  skip(duration: Duration): Promise<void>;
  /** Stops the workers. The environment is the caller's. */
  close(): Promise<void>;
}

/** A task, or anything else with its id. */
export type TaskReference = Pick<TestTask, 'taskId'>;

/** A task refused what a test asked for, as it would refuse a person. */
export class UserTaskRefused extends Error {
  override readonly name = 'UserTaskRefused';
  readonly code: Rejection['code'];
  /** Where submitted data is wrong. */
  readonly errors: Rejection['errors'];

  constructor({ code, detail, errors }: Rejection) {
    // To a person who may not see it a task is not there; who writes a test should know better.
    super(
      code === 'not-found'
        ? 'not-found: there is no such task for this person.'
        : `${code}: ${detail}`,
    );
    this.code = code;
    this.errors = errors;
  }
}

/**
 * Runs workflows that raise user tasks, and the tasks themselves, in one process and without a database: the tasks are
 * the real workflows, with their real rules; only their rows are kept in memory.
 *
 * ```ts
 * const testing = await createUserTaskTesting({ environment, workflowsPath: require.resolve('./workflows') });
 * const owner = await testing.start(invoiceApproval, { args: [invoice] });
 * const task = await testing.waitForTask({ definition: approval });
 * await testing.answer(task, 'approve', { amount: 100 }, { by: 'alex' });
 * expect(await owner.result()).toEqual(…);
 * ```
 *
 * @see docs/testing-workflows.md
 */
export async function createUserTaskTesting(
  options: UserTaskTestingOptions,
): Promise<UserTaskTesting> {
  const {
    environment,
    userTaskQueue = 'countersign',
    taskQueue = `owners-${randomUUID()}`,
    members,
  } = options;
  await registerSearchAttributes(environment);
  const memory = new TaskMemory({
    forms: formProviders(options.formProviders ?? []),
    members:
      members === undefined
        ? null
        : (group) => members(group)?.map((one) => withTenant(one, group.tenantId)) ?? null,
  });
  const common = {
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    ...(options.dataConverter === undefined ? {} : { dataConverter: options.dataConverter }),
  };
  const stop = await runWorkers([
    {
      ...common,
      taskQueue: userTaskQueue,
      workflowsPath: require.resolve('../workflows/user-task'),
      activities: memory.activities(),
    },
    {
      ...common,
      taskQueue,
      ...workflowsOf(options),
      ...(options.activities === undefined ? {} : { activities: options.activities }),
    },
  ]);
  return new Testing(options, taskQueue, memory, stop);
}

class Testing implements UserTaskTesting {
  readonly taskQueue: string;
  readonly #environment: TestWorkflowEnvironment;
  readonly #members: UserTaskTestingOptions['members'];
  readonly #memory: TaskMemory;
  readonly close: () => Promise<void>;

  constructor(
    { environment, members }: UserTaskTestingOptions,
    taskQueue: string,
    memory: TaskMemory,
    close: () => Promise<void>,
  ) {
    this.#environment = environment;
    this.#members = members;
    this.taskQueue = taskQueue;
    this.#memory = memory;
    this.close = close;
  }

  start<T extends Workflow>(
    workflow: T | string,
    {
      args,
      workflowId = `owner-${randomUUID()}`,
    }: { readonly args: Parameters<T>; readonly workflowId?: string },
  ): Promise<WorkflowHandle<T>> {
    const options = {
      taskQueue: this.taskQueue,
      workflowId,
      args,
    } as unknown as WorkflowStartOptions<T>;
    return this.#environment.client.workflow.start<T>(workflow, options);
  }

  async waitForTask(
    match: TaskMatch = {},
    { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
  ): Promise<TestTask> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const found = this.#memory
        .tasks()
        .find((task) => !isTerminal(task.projection.status) && matches(task, match));
      if (found !== undefined) return testTaskOf(found);
      if (Date.now() > deadline)
        throw new Error(`No open task fits within ${timeoutMs} ms. ${this.#listed()}`);
      await pause(20);
    }
  }

  tasks(): readonly TestTask[] {
    return this.#memory.tasks().map(testTaskOf);
  }

  async claim(reference: TaskReference, { by }: { readonly by?: By } = {}): Promise<void> {
    const task = await this.#held(reference);
    await this.#send(reference, { kind: 'claim', ...this.#common(task, personFor(task, by)) });
  }

  async answer(
    reference: TaskReference,
    action: string,
    data: Json = null,
    { by }: { readonly by?: By } = {},
  ): Promise<void> {
    const before = await this.#held(reference);
    const person = personFor(before, by);
    // Wrong data is refused before anything has changed, as it is by a form.
    await this.#prepared(before, {
      kind: 'complete',
      ...this.#common(before, person),
      actionKey: action,
      data,
      receivedHash: null,
    });
    if (before.status === 'Available' || before.status === 'Unassigned')
      await this.claim(reference, { by: person.subject });
    const task = await this.#held(reference);
    const command = {
      kind: 'complete',
      ...this.#common(task, person),
      actionKey: action,
      data,
      receivedHash: null,
    } as const;
    await this.#send(reference, await this.#prepared(task, command));
  }

  async cancel(
    reference: TaskReference,
    reason: string,
    { by = 'manager' }: { readonly by?: By } = {},
  ): Promise<void> {
    const task = await this.#held(reference);
    const manager = { ...personFor(task, by), grants: MANAGER_GRANTS };
    await this.#send(reference, { kind: 'cancel', ...this.#common(task, manager), reason });
  }

  async skip(duration: Duration): Promise<void> {
    await this.#environment.sleep(duration);
  }

  /** The task as it is now, from itself. */
  async #held(reference: TaskReference): Promise<TaskState> {
    const handle = this.#environment.client.workflow.getHandle(
      this.#remembered(reference).workflowId,
    );
    return (await handle.query(snapshotQuery)).record.task;
  }

  async #prepared(task: TaskState, command: CompleteCommand): Promise<CompleteCommand> {
    const action = task.inputs.actions.find(({ key }) => key === command.actionKey);
    // The task itself knows best how to refuse an action that it does not have.
    if (action === undefined) return command;
    const prepared = await this.#memory.prepare({
      tenantId: task.tenantId,
      command,
      form: task.form,
      schema: action.schema,
    });
    if (isRejection(prepared)) throw new UserTaskRefused(prepared);
    return prepared;
  }

  async #send(reference: TaskReference, command: TaskCommand): Promise<void> {
    const handle = this.#environment.client.workflow.getHandle(
      this.#remembered(reference).workflowId,
    );
    const update: { args: [unknown]; updateId: string } = {
      args: [command],
      updateId: command.operationId,
    };
    try {
      this.#memory.project(await handle.executeUpdate(commandUpdates[command.kind], update));
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  }

  #common(task: TaskState, actor: Person) {
    const isMember =
      task.inputs.membershipResolutionMode === 'Snapshot' && this.#isMember(task, actor.subject);
    return {
      operationId: `op_${randomUUID()}`,
      expectedRevision: task.revision,
      actor,
      notAfter: null,
      projectedBySender: true,
      entitledBy: isMember ? ('SnapshotMember' as const) : null,
    };
  }

  #isMember({ inputs, tenantId }: TaskState, subject: ParticipantReference): boolean {
    return inputs.candidateGroups
      .flatMap((group) => this.#members?.(group) ?? [])
      .some((member) => isSameParticipant(withTenant(member, tenantId), subject));
  }

  #remembered({ taskId }: TaskReference): RememberedTask {
    const task = this.#memory.tasks().find(({ event }) => event.taskId === taskId);
    if (task === undefined) throw new Error(`There is no task ${taskId}. ${this.#listed()}`);
    return task;
  }

  #listed(): string {
    const lines = this.tasks().map(
      ({ title, taskType, status }) => `"${title}" (${taskType ?? 'no type'}) is ${status}`,
    );
    return lines.length === 0 ? 'No task was raised.' : `Tasks: ${lines.join('; ')}.`;
  }
}

function refusalOf(error: unknown): UserTaskRefused | null {
  if (error instanceof WorkflowNotFoundError)
    return new UserTaskRefused(rejection('terminal', 'The task is closed.'));
  if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure))
    return null;
  const { type, message, details } = error.cause;
  if (!isRejectionCode(type)) return null;
  const [detail] = details ?? [];
  const errors = isRecord(detail) ? (detail['errors'] as Rejection['errors']) : undefined;
  return new UserTaskRefused(rejection(type, message, errors));
}

function workflowsOf({
  workflowsPath,
  workflowBundle,
}: UserTaskTestingOptions): Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle'> {
  if (workflowBundle !== undefined) return { workflowBundle };
  if (workflowsPath !== undefined) return { workflowsPath };
  throw new TypeError('Give workflowsPath or workflowBundle.');
}

async function runWorkers(options: readonly WorkerOptions[]): Promise<() => Promise<void>> {
  const workers = await Promise.all(options.map((each) => Worker.create(each)));
  const running = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  };
}
