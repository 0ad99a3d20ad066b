import { mayReadEvents, mayReadProtected } from '../../domain/user-tasks/access';
import { personOf } from '../authenticate';
import { taskIdOf } from '../parse-request';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { taskPath } from './command-route';
import { NO_EVENTS, presentDetail, severityOf, type HealthIssueWire } from './present';
import { loadProtected } from './protected-content';
import { DEFAULT_EVENT_LIMIT, readEvents } from './read-events';
import { factsOf, type TaskView } from './task-view';
import { visibleTask, type ReadDependencies } from './visible-task';
import { taskDetailWire } from './wire';

/** `GET /user-tasks/{taskId}`. @see UT-226, UT-217 */
export function detailRoute(deps: ReadDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks/{taskId}',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'readUserTask',
      tags: ['Tasks'],
      summary: 'Read a task',
      description:
        'The safe fields; instructions, data, actions and timeline for those who may read them.',
      requestParams: { path: taskPath },
      responses: {
        '200': {
          description: 'The task.',
          content: { 'application/json': { schema: taskDetailWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const view = await visibleTask(deps, person, taskIdOf(request));
      const facts = factsOf(view);
      const [content, events, healthIssues] = await Promise.all([
        mayReadProtected(facts, view.is) ? loadProtected(deps.database, view) : null,
        mayReadEvents(facts, view.is)
          ? readEvents(deps, view, null, DEFAULT_EVENT_LIMIT)
          : NO_EVENTS,
        view.is.manager ? loadHealth(deps, view) : null,
      ]);
      response.json(presentDetail(view, person, { content, events, healthIssues }, new Date()));
    },
  };
}

async function loadHealth(
  deps: ReadDependencies,
  { tenantId, id }: TaskView,
): Promise<HealthIssueWire[]> {
  const issues = await deps.database.userTaskHealthIssue.findMany({
    where: { tenantId, taskId: id },
    orderBy: [{ since: 'asc' }, { code: 'asc' }],
  });
  return issues.map(({ code, severity, message, since }) => ({
    code,
    severity: severityOf(severity) ?? 'Advisory',
    message,
    since: since.toISOString(),
  }));
}
