import {
  executeCommand,
  type CommandAnswer,
  type CommandDraft,
} from '../../api/user-tasks/execute-command';
import { Problem } from '../../api/problem';
import type { Person } from '../../domain/user-tasks/actor';
import type { CommandKind } from '../../domain/user-tasks/commands';
import { projectionOf, type TaskProjection } from '../../domain/user-tasks/receipt';
import { isTerminal, type TaskStatus } from '../../domain/user-tasks/task';
import { snapshotQuery } from '../../workflows/messages';
import { CLERKS, MANAGER_GRANTS, person } from '../builders/people';
import type { TaskAddress, TaskStack } from './task-stack';
import { within } from './within';

/** Belong to the clerks, to whom the tasks of these tests are offered. */
export const clerk = person('clerk', { groups: [CLERKS] });
export const colleague = person('colleague', { groups: [CLERKS] });
export const manager = person('manager', { grants: MANAGER_GRANTS });

/** What a test asks for: a command, its revision 1 and its operation id minted unless given. */
export type Ask = Partial<CommandDraft> & { readonly kind: CommandKind } & Readonly<
    Record<string, unknown>
  >;

/** A whole command from the few members that a test cares about. */
export function draft(ask: Ask): CommandDraft {
  const rest: Partial<Record<CommandKind, object>> = {
    release: { reason: null },
    assign: { assignee: clerk.subject, reason: null },
    complete: { actionKey: 'approve', data: null },
    cancel: { reason: 'no longer needed' },
  };
  return { expectedRevision: 1, operationId: null, ...rest[ask.kind], ...ask } as CommandDraft;
}

type Deps = Pick<TaskStack, 'deps'>;

/** Sends a command as an update, as the API does for a caller that waits. */
export function send(stack: Deps, task: TaskAddress, by: Person, ask: Ask): Promise<CommandAnswer> {
  return executeCommand(stack.deps, {
    person: by,
    taskId: task.taskId,
    command: draft(ask),
    respondAsync: false,
  });
}

/** Sends a command as a signal, as the API does for a caller that does not wait. */
export function signal(
  stack: Deps,
  task: TaskAddress,
  by: Person,
  ask: Ask,
): Promise<CommandAnswer> {
  return executeCommand(stack.deps, {
    person: by,
    taskId: task.taskId,
    command: draft(ask),
    respondAsync: true,
  });
}

/** Code with which a command is refused, or what it was answered with instead. */
export function refusal(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    (accepted) => ({ accepted }),
    (error: unknown) => {
      if (error instanceof Problem) return error.code;
      throw error;
    },
  );
}

/** The operation once it is no longer pending. */
export function settledOperation(stack: TaskStack, task: TaskAddress, operationId: string) {
  return within(15_000, async () => {
    const found = await operationOf(stack, task, operationId);
    return found !== null && found.status !== 'Pending' && found;
  });
}

export function operationOf(stack: TaskStack, { taskId }: TaskAddress, operationId: string) {
  return stack.database.userTaskOperation.findFirst({ where: { taskId, operationId } });
}

/** Kinds that no workflow decides and that raise no revision (UT-404). */
const AUDIT_ONLY = ['FieldRevealed', 'PrivilegedOperationFailed', 'HealthChanged'];

/** Kind and revision of every event of the task, as the rows tell it. */
export async function eventsOf(
  stack: TaskStack,
  { taskId }: TaskAddress,
): Promise<readonly (readonly [string, number])[]> {
  const orderBy = [{ epoch: 'asc' }, { revision: 'asc' }, { ordinal: 'asc' }] as const;
  const events = await stack.database.userTaskEvent.findMany({
    where: { taskId, eventType: { notIn: AUDIT_ONLY } },
    orderBy: [...orderBy],
  });
  return events.map(({ eventType, revision }) => [eventType, revision] as const);
}

export async function rowOf(stack: TaskStack, { taskId }: TaskAddress) {
  return stack.database.userTask.findFirstOrThrow({
    where: { id: taskId },
    include: { health: true, protected: true },
  });
}

/** The row once it has this status. */
export function rowThatIs(stack: TaskStack, task: TaskAddress, status: TaskStatus) {
  return within(20_000, async () => {
    const row = await rowOf(stack, task);
    return row.status === status && row;
  });
}

/** What the task's workflow holds, in the shape of its row. */
export async function heldBy(
  stack: TaskStack,
  { workflowId }: TaskAddress,
): Promise<TaskProjection> {
  const { record } = await stack.client.workflow.getHandle(workflowId).query(snapshotQuery);
  return projectionOf(record.task);
}

/** What the row tells, in the shape in which the workflow holds it. */
export async function toldByRow(stack: TaskStack, task: TaskAddress): Promise<TaskProjection> {
  const row = await rowOf(stack, task);
  const text = (date: Date | null): string | null => date?.toISOString() ?? null;
  const told = {
    revision: row.revision,
    status: row.status,
    priority: row.priority,
    dueAt: text(row.dueAt),
    updatedAt: text(row.updatedAt),
    assignee: row.assignee,
    assignedAt: text(row.assignedAt),
    completedAt: text(row.completedAt),
    completedBy: row.completedBy,
    actionKey: row.actionKey,
    health: row.health.map(({ code, severity, message, since }) => ({
      code,
      severity,
      message,
      since: text(since),
    })),
  };
  return told as unknown as TaskProjection;
}

/** Waits until row and workflow agree, and checks that the events tell every revision exactly once. */
export async function expectAgreement(
  stack: TaskStack,
  task: TaskAddress,
): Promise<TaskProjection> {
  const held = await within(20_000, async () => {
    const now = await heldBy(stack, task);
    return (await rowOf(stack, task)).revision === now.revision && now;
  });
  expect(await toldByRow(stack, task)).toEqual(held);
  const events = await eventsOf(stack, task);
  expect(events.map(([, revision]) => revision)).toEqual(events.map((_event, index) => index + 1));
  expect(events.length).toBe(held.revision);
  if (isTerminal(held.status))
    expect(events.filter(([kind]) => kind === held.status)).toHaveLength(1);
  return held;
}

/** Makes what is pending look as if its sender had died a while ago. */
export async function agePending(stack: TaskStack, seconds = 3_600): Promise<void> {
  await stack.database.$executeRaw`
    update user_task_operations
    set updated_at = updated_at - make_interval(secs => ${seconds}::double precision),
        not_after = not_after - make_interval(secs => ${seconds}::double precision)
    where status = 'Pending'`;
}
