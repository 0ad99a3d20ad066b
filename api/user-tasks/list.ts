import { isManager, type Person } from '../../domain/user-tasks/actor';
import { mayReadSummary } from '../../domain/user-tasks/access';
import { parseTaskId, type TaskId } from '../../domain/ids';
import type { PrismaClient } from '../../prisma/generated/client';
import { personOf } from '../authenticate';
import { parseQuery } from '../parse-request';
import { Problem } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { encodeCursor } from './list-cursor';
import { listParameters, listQueryOf, MANAGER_SCOPES, type ListQuery } from './list-query';
import { countStatement, pageStatement, type ListRow, type Statement } from './list-sql';
import { presentSummary } from './present';
import { factsOf, loadTaskViews } from './task-view';
import type { ReadDependencies } from './visible-task';
import { taskPageWire, type TaskPageWire } from './wire';

/** `GET /user-tasks`. @see UT-225, UT-248..260 */
export function listRoute(deps: ReadDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'listUserTasks',
      tags: ['Tasks'],
      summary: 'List tasks',
      description:
        'The tasks that you may claim (`available`), hold (`assigned`), had a part in (`history`) or supervise (`all`, `needs-attention`).',
      requestParams: { query: listParameters },
      responses: {
        '200': {
          description: 'One page.',
          content: { 'application/json': { schema: taskPageWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const query = listQueryOf(parseQuery(listParameters, request));
      if (MANAGER_SCOPES.includes(query.scope) && !isManager(person, person.subject.tenantId)) {
        throw new Problem('permission-denied', `The scope ${query.scope} is for managers.`);
      }
      response.json(await readPage(deps, person, query, new Date()));
    },
  };
}

/** One page: its ids from the index, then their rows in one statement. */
async function readPage(
  deps: ReadDependencies,
  person: Person,
  query: ListQuery,
  now: Date,
): Promise<TaskPageWire> {
  const [rows, total] = await Promise.all([
    run<ListRow>(deps.database, pageStatement(person, query, now)),
    query.includeTotalCount
      ? run<{ count: number }>(deps.database, countStatement(person, query, now))
      : null,
  ]);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    items: await presentRows(deps, person, page, now),
    nextCursor: rows.length > query.limit && last !== undefined ? cursorOf(last, query) : null,
    ...(total === null ? {} : { totalCount: total[0]?.count ?? 0 }),
  };
}

async function presentRows(
  deps: ReadDependencies,
  person: Person,
  page: readonly ListRow[],
  now: Date,
): Promise<TaskPageWire['items']> {
  if (page.length === 0) return [];
  const views = await loadTaskViews(
    deps.database,
    person,
    page.map(({ id }) => trustedId(id)),
  );
  const byId = new Map<string, (typeof views)[number]>(views.map((view) => [view.id, view]));
  return (
    page
      .map(({ id }) => byId.get(id))
      .filter((view) => view !== undefined)
      // Between the two statements a task may have been taken out of the caller's sight.
      .filter((view) => mayReadSummary(factsOf(view), view.is))
      .map((view) => presentSummary(view, person, now))
  );
}

function cursorOf(last: ListRow, query: ListQuery): string {
  return encodeCursor({ value: last.value, taskId: trustedId(last.id) }, query);
}

/** Ids in rows were parsed when they were written. */
function trustedId(id: string): TaskId {
  const taskId = parseTaskId(id);
  if (taskId === null) throw new Error('a row has an id that is none');
  return taskId;
}

function run<Row>(database: PrismaClient, { sql, parameters }: Statement): Promise<Row[]> {
  return database.$queryRawUnsafe<Row[]>(sql, ...parameters);
}
