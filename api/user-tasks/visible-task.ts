import { mayReadSummary } from '../../domain/user-tasks/access';
import type { Person } from '../../domain/user-tasks/actor';
import type { TaskId } from '../../domain/ids';
import type { Prisma, PrismaClient } from '../../prisma/generated/client';
import { notFound } from '../problem';
import { factsOf, loadTaskView, type TaskView } from './task-view';

/** What reading routes need. */
export interface ReadDependencies {
  readonly database: PrismaClient;
}

/** The same within a transaction, where several reads must tell of one moment. */
export interface Reading {
  readonly database: PrismaClient | Prisma.TransactionClient;
}

/**
 * The task, if the caller may know of it.
 * @throws {Problem} `not-found`, the same whether it is absent or hidden
 * @see UT-212
 */
export async function visibleTask(
  deps: Reading,
  person: Person,
  taskId: TaskId,
): Promise<TaskView> {
  const view = await loadTaskView(deps.database, person, taskId);
  if (view === null || !mayReadSummary(factsOf(view), view.is)) throw notFound();
  return view;
}
