import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  uuid4,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { taskIdOf, taskWorkflowId, type TaskId } from '../domain/ids';
import { jsonBytes, utf8Bytes } from '../domain/json';
import type { UserTaskResult } from '../domain/user-tasks/receipt';
import { USER_TASK_WORKFLOW, type UserTaskStart } from '../workflows/messages';
import { answerOf, type Answer } from './answer';
import { withTenant, type Participant } from './participants';
import { userTaskSettings, type UserTaskSettings } from './settings';
import type { Actions, TaskDefinition } from './task-definition';
import type { UserTaskInput } from './user-task-input';

/** Choices for one call; those of {@link configureUserTasks} unless given. */
export interface UserTaskOptions extends Partial<UserTaskSettings> {
  /** The owner's name for itself in lists; its workflow type unless given. */
  readonly workflowName?: string;
  /** The owner's version in lists; the worker's deployment or build version unless given. */
  readonly workflowVersion?: string;
  /** The owner's correlation id in lists, for example an order number; never a secret. */
  readonly instanceReference?: string;
}

/** The answer to come. */
export interface UserTaskPromise<T> extends Promise<T> {
  /** Id of the task, known before the task is raised. */
  readonly taskId: TaskId;
  /**
   * Gives up this wait alone: the task ends as Cancelled, and the promise is rejected with a `CancelledFailure` once it
   * has. An answer that was accepted before still arrives. The promise need not be awaited afterwards.
   */
  readonly cancel: () => void;
}

/**
 * Raises a user task and resolves to its answer, minutes or months later. Runs in a workflow, which owns the task.
 *
 * ```ts
 * const answer = await userTask(invoiceApproval, { title: 'Invoice 4711', candidateGroups: [approvers], dueAt });
 * switch (answer.action) { case 'approve': …; case 'reject': …; case 'Timeout': … }
 * ```
 *
 * The task is a child workflow of its own on Countersign's task queue. When the owner is cancelled, so is the task, and
 * the promise is rejected with a `CancelledFailure`. Whatever else ends the owner (failure, termination, return) ends
 * its open tasks as Cancelled too. Therefore **an owner must not continue as new while it awaits a task**: the new run
 * could not receive the answer, and the task is cancelled. Await or cancel all tasks first.
 *
 * @throws {CancelledFailure} (as rejection) when the wait was cancelled, by the owner's cancellation or `cancel()`
 * @throws {ChildWorkflowFailure} (as rejection) when the task was refused, see {@link userTaskRefusal}, or ended from
 * outside
 * @see UT-001, UT-015, UT-261..267
 */
export function userTask<
  A extends Actions,
  DefinedTimeout extends boolean,
  DefinedCancellation extends boolean,
  Timeout extends boolean = DefinedTimeout,
  Cancellation extends boolean = DefinedCancellation,
>(
  definition: TaskDefinition<A, DefinedTimeout, DefinedCancellation>,
  input: UserTaskInput & {
    readonly enableTimeoutOutcome?: Timeout;
    readonly enableCancellationOutcome?: Cancellation;
  },
  options: UserTaskOptions = {},
): UserTaskPromise<Answer<A, Timeout, Cancellation>> {
  const uuid = uuid4();
  const taskId = taskIdOf(uuid);
  const settings = { ...userTaskSettings(), ...options };
  const start = {
    tenantId: settings.tenantId,
    taskId,
    activityInstanceId: uuid,
    inputs: inputsOf(definition, input, settings.tenantId),
    ownerDefinition: ownerOf(options),
    ...(settings.historyLimit === undefined ? {} : { historyLimit: settings.historyLimit }),
    ...(settings.activationResolutionTimeoutMs === undefined
      ? {}
      : { activationResolutionTimeoutMs: settings.activationResolutionTimeoutMs }),
  };
  const scope = new CancellationScope({ cancellable: true });
  const answer = scope.run(async () =>
    answerOf<A, Timeout, Cancellation>(await raised(start, settings.taskQueue, input.title)),
  );
  // Who cancels a task may forget its promise; without this a forgotten one would fail the whole workflow.
  answer.catch(() => undefined);
  return Object.assign(answer, { taskId, cancel: () => scope.cancel() });
}

type UserTaskWorkflow = (start: UserTaskStart) => Promise<UserTaskResult>;

async function raised(
  start: UserTaskStart,
  taskQueue: string,
  title: string,
): Promise<UserTaskResult> {
  refuseUnsendable(start);
  try {
    return await awaited(start, taskQueue, title);
  } catch (error) {
    // The platform's cancellation, not a failure of the child: what a workflow expects of an awaited call.
    if (error instanceof ChildWorkflowFailure && error.cause instanceof CancelledFailure)
      throw error.cause;
    throw error;
  }
}

/**
 * Starts the task and awaits its end. A cancellation is sent to the task by its id: the SDK's own would go to the run
 * that was started, and a long-lived task has continued in another one since.
 */
async function awaited(
  start: UserTaskStart,
  taskQueue: string,
  title: string,
): Promise<UserTaskResult> {
  const workflowId = taskWorkflowId(start.tenantId, start.taskId);
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
  return CancellationScope.nonCancellable(async () => {
    const child = await startChild<UserTaskWorkflow>(USER_TASK_WORKFLOW, {
      args: [start],
      workflowId,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      taskQueue,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: summaryOf(title),
    });
    const cancel = (): Promise<void> =>
      CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel());
    // A task that has ended by then cannot be cancelled, and need not be.
    scope.cancelRequested.catch(() => cancel().catch(() => undefined));
    return child.result();
  });
}

function inputsOf(
  definition: TaskDefinition,
  input: UserTaskInput,
  tenantId: string,
): Readonly<Record<string, unknown>> {
  const given = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  );
  const {
    requester,
    assignee,
    candidateUsers,
    candidateGroups,
    excludedUsers,
    dueAt,
    ...plain
  }: UserTaskInput = {
    ...definition.defaults,
    title: input.title,
    ...given,
  };
  const one = (participant: Participant | null | undefined) =>
    participant ? withTenant(participant, tenantId) : null;
  const all = (participants: readonly Participant[] = []) =>
    participants.map((participant) => withTenant(participant, tenantId));
  return {
    ...plain,
    requester: one(requester),
    assignee: one(assignee),
    candidateUsers: all(candidateUsers),
    candidateGroups: all(candidateGroups),
    excludedUsers: all(excludedUsers),
    dueAt: dueAt instanceof Date ? textOf(dueAt) : (dueAt ?? null),
    actions: definition.actions,
  };
}

/** An invalid date becomes a text that the task refuses: `toISOString` would throw and block the owner instead. */
function textOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'invalid date' : date.toISOString();
}

function ownerOf(options: UserTaskOptions): UserTaskStart['ownerDefinition'] {
  const { workflowType, currentDeploymentVersion } = workflowInfo();
  return {
    id: workflowType,
    name: options.workflowName ?? workflowType,
    version: options.workflowVersion ?? currentDeploymentVersion?.buildId ?? null,
    instanceReference: options.instanceReference ?? null,
  };
}

/**
 * Temporal refuses a start above 2 MiB by failing the owner's workflow task again and again; the task itself never sees
 * it, so the refusal that it would give is given here.
 */
function refuseUnsendable(start: UserTaskStart): void {
  if (jsonBytes(start.inputs) <= MAXIMUM_START_BYTES) return;
  throw ApplicationFailure.nonRetryable(
    'The inputs of the task are too large.',
    'payload-too-large',
    {
      code: 'payload-too-large',
      detail: 'The inputs of the task are too large.',
    },
  );
}

const MAXIMUM_START_BYTES = 1_572_864;

/**
 * The title, cut to what Temporal keeps as a summary: 400 bytes, of which encryption with its metadata takes some 130.
 */
function summaryOf(title: string): string {
  let summary = '';
  for (const character of title) {
    if (utf8Bytes(summary + character) > SUMMARY_BYTES) break;
    summary += character;
  }
  return summary;
}

const SUMMARY_BYTES = 200;
