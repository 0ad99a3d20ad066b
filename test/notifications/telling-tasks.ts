import { randomUUID } from 'node:crypto';
import { project, projectCreation } from '../../activities/user-tasks/project';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import type { Creation } from '../../domain/user-tasks/decide/create';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import { receiptOf } from '../../domain/user-tasks/receipt';
import { NOTHING_RESOLVED } from '../../domain/user-tasks/resolution';
import type { TransitionEvent } from '../../domain/user-tasks/task';
import type { PrismaClient } from '../../prisma/generated/client';
import { aDistinctTask } from '../api/seed-task';
import type { TaskBuilder } from '../builders/task';

/** A task whose steps are projected as they are made, so that each is told. */
export class ToldTask {
  readonly #database: PrismaClient;
  readonly #run = { runId: randomUUID(), lineage: [] };
  builder: TaskBuilder;

  constructor(database: PrismaClient, builder: TaskBuilder) {
    this.#database = database;
    this.builder = builder;
  }

  get id(): TaskId {
    return this.builder.task.taskId;
  }

  /** Projects the creation; again on every call. */
  async create(): Promise<void> {
    const { tenantId, taskId } = this.builder.task;
    const workflowId = taskWorkflowId(tenantId, taskId);
    const event = this.builder.createdEvent;
    await projectCreation(this.#database, { event, workflowId, run: this.#run });
  }

  /** Takes steps and projects them, in one receipt. @returns projects the same receipt again */
  async step(take: (task: TaskBuilder) => TaskBuilder): Promise<() => Promise<void>> {
    const before = this.builder;
    this.builder = take(before);
    const events = this.builder.events.slice(before.events.length) as TransitionEvent[];
    const receipt = receiptOf(this.builder.record, events, null, this.#run);
    const again = async (): Promise<void> => {
      await project(this.#database, receipt);
    };
    await again();
    return again;
  }
}

/** A task offered to the clerks unless the inputs say otherwise, with its row. */
export async function tell(
  database: PrismaClient,
  inputs: Partial<TaskInputs> = {},
  overrides: Partial<Creation> = {},
): Promise<ToldTask> {
  const builder = aDistinctTask(inputs, { resolution: NOTHING_RESOLVED, ...overrides });
  const task = new ToldTask(database, builder);
  await task.create();
  return task;
}

/** The notifications of a task, in the order in which they were written. */
export function notificationsOfTask(database: PrismaClient, taskId: string) {
  return database.userTaskNotification.findMany({
    where: { taskId },
    orderBy: { position: 'asc' },
  });
}
