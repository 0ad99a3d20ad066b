import { randomUUID } from 'node:crypto';
import { projectSnapshot } from '../../activities/user-tasks/project';
import { taskIdOf, taskWorkflowId, type TaskId } from '../../domain/ids';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import type { Creation } from '../../domain/user-tasks/decide/create';
import type { PrismaClient } from '../../prisma/generated/client';
import { aTask, OWNER, type TaskBuilder } from '../builders/task';

/** A task with an id and an owner's step of its own, so that many fit into one database. */
export function aDistinctTask(
  inputs: Partial<TaskInputs> = {},
  overrides: Partial<Creation> = {},
): TaskBuilder {
  const uuid = randomUUID();
  return aTask(inputs, {
    taskId: taskIdOf(uuid),
    owner: { ...OWNER, activityInstanceId: uuid },
    ...overrides,
  });
}

/** Writes the rows of a task as its workflow would have them written. @returns its id */
export async function seed(database: PrismaClient, { record, task }: TaskBuilder): Promise<TaskId> {
  const workflowId = taskWorkflowId(task.tenantId, task.taskId);
  const written = await projectSnapshot(database, {
    record,
    workflowId,
    run: { runId: randomUUID(), lineage: [] },
  });
  if (written !== task.taskId)
    throw new Error(`the task ${written} had the materialization key before`);
  return task.taskId;
}

/** Takes all tasks away as the purge does, which is quicker than a new database. */
export async function clear(database: PrismaClient): Promise<void> {
  await database.$transaction([
    database.$executeRawUnsafe(`set local countersign.purge = 'on'`),
    database.userTask.deleteMany(),
  ]);
}
