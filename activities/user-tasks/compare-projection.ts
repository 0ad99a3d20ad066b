import type { Client } from '@temporalio/client';
import { taskWorkflowId, type TaskId } from '../../domain/ids';
import type { PrismaClient } from '../../prisma/generated/client';
import { listChildren, taskOfWorkflow } from '../maintenance/open-children';
import { killedAt } from './closure';
import { differencesOf, withEverything, type ComparedRow } from './row-differences';
import type { SnapshotReader } from './rebuild';
import { withoutEnd } from './settle';

/** One way in which rows and workflows disagree. */
export interface Difference {
  readonly tenantId: string;
  readonly taskId: string;
  /** Says what differs, without values that may be protected. */
  readonly difference: string;
}

export interface Comparison {
  readonly rows: number;
  /** Rows whose workflow Temporal no longer keeps: nothing to compare with. */
  readonly unreadable: number;
  readonly differences: readonly Difference[];
}

export interface CompareOptions {
  /** Whether closed tasks that Temporal still keeps are compared too. */
  readonly closed: boolean;
  /** Task queue of the user tasks, where several installations share a namespace. */
  readonly taskQueue?: string;
  /** Called after each page with the number of rows compared so far. */
  readonly onProgress?: (rows: number) => void;
}

const PAGE = 100;
const AT_ONCE = 8;

/**
 * Compares every row with its workflow, and looks for open workflows that have no row.
 * @see UT-413
 */
export async function compareProjection(
  database: PrismaClient,
  client: Client,
  readSnapshot: SnapshotReader,
  options: CompareOptions,
): Promise<Comparison> {
  const differences: Difference[] = [];
  let rows = 0;
  let unreadable = 0;
  for await (const page of pagesOf(database, options.closed)) {
    for (let start = 0; start < page.length; start += AT_ONCE) {
      const batch = page.slice(start, start + AT_ONCE);
      const found = await Promise.all(batch.map((row) => compareRow(client, row, readSnapshot)));
      differences.push(...found.flatMap((each) => each ?? []));
      unreadable += found.filter((each) => each === null).length;
    }
    rows += page.length;
    options.onProgress?.(rows);
  }
  differences.push(...(await missingRows(database, client, options.taskQueue ?? null)));
  return { rows, unreadable, differences };
}

/** The same for one task: whether a difference was only a projection that was still on its way. */
export async function compareTask(
  database: PrismaClient,
  client: Client,
  readSnapshot: SnapshotReader,
  { tenantId, taskId }: Pick<Difference, 'tenantId' | 'taskId'>,
): Promise<readonly Difference[]> {
  const row = await database.userTask.findUnique({
    where: { tenantId_id: { tenantId, id: taskId } },
    include: withEverything,
  });
  if (row !== null) return (await compareRow(client, row, readSnapshot)) ?? [];
  const purged = await database.purgedUserTask.findUnique({
    where: { tenantId_taskId: { tenantId, taskId } },
  });
  return purged === null ? [{ tenantId, taskId, difference: MISSING }] : [];
}

async function* pagesOf(
  database: PrismaClient,
  closed: boolean,
): AsyncGenerator<readonly ComparedRow[]> {
  let after: { tenantId: string; id: string } | null = null;
  for (;;) {
    const page: ComparedRow[] = await database.userTask.findMany({
      where: closed ? {} : { completedAt: null },
      include: withEverything,
      orderBy: [{ tenantId: 'asc' }, { id: 'asc' }],
      take: PAGE,
      ...(after === null ? {} : { cursor: { tenantId_id: after }, skip: 1 }),
    });
    if (page.length === 0) return;
    yield page;
    const last = page.at(-1);
    after = last === undefined ? null : { tenantId: last.tenantId, id: last.id };
  }
}

/** Null when there is nothing to compare with. */
async function compareRow(
  client: Client,
  row: ComparedRow,
  readSnapshot: SnapshotReader,
): Promise<readonly Difference[] | null> {
  const named = (difference: string): Difference => ({
    tenantId: row.tenantId,
    taskId: row.id,
    difference,
  });
  try {
    const snapshot = await readSnapshot(row.tenantId, row.id as TaskId);
    if (snapshot === null)
      return row.completedAt === null ? [named('the row is open, its workflow is gone')] : null;
    const open = snapshot.record.task.completedAt === null;
    // Somebody ended the workflow from outside: then the row says so, and the workflow cannot.
    const at = open && row.completedAt !== null ? await killedAt(client, row.workflowId) : null;
    return differencesOf(row, snapshot, at === null ? null : withoutEnd(snapshot, at)).map(named);
  } catch (error) {
    return [
      named(`the workflow does not answer (${error instanceof Error ? error.name : 'unknown'})`),
    ];
  }
}

const MISSING = 'the workflow is open and has no row';

/** Open workflows without a row: created and not projected yet, or lost from the database. */
async function missingRows(
  database: PrismaClient,
  client: Client,
  taskQueue: string | null,
): Promise<readonly Difference[]> {
  const missing: Difference[] = [];
  let after: string | null = null;
  do {
    const request = {
      taskQueue,
      open: true,
      tenantId: null,
      startedBefore: null,
      limit: PAGE,
      after,
    };
    const { items, next }: { items: readonly string[]; next: string | null } = await listChildren(
      client,
      request,
    );
    const rows = await database.userTask.findMany({
      where: { workflowId: { in: [...items] } },
      select: { workflowId: true },
    });
    const present = new Set(rows.map(({ workflowId }) => workflowId));
    for (const workflowId of items) {
      if (present.has(workflowId)) continue;
      const { tenantId, taskId } = taskOfWorkflow(workflowId) ?? {
        tenantId: '',
        taskId: workflowId,
      };
      missing.push({ tenantId, taskId, difference: MISSING });
    }
    after = next;
  } while (after !== null);
  const closed = await Promise.all(missing.map((each) => hasClosed(client, each)));
  return missing.filter((_each, index) => closed[index] !== true);
}

/** The list of workflows may be a moment behind. */
async function hasClosed(client: Client, { tenantId, taskId }: Difference): Promise<boolean> {
  const description = await client.workflow
    .getHandle(taskWorkflowId(tenantId, taskId as TaskId))
    .describe()
    .catch(() => null);
  return description !== null && description.status.name !== 'RUNNING';
}
