import { mayReadEvents, mayReadProtected } from '../../domain/user-tasks/access';
import type { TaskId } from '../../domain/ids';
import type { Person } from '../../domain/user-tasks/actor';
import { personOf } from '../authenticate';
import { taskIdOf } from '../parse-request';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { taskPath } from './command-route';
import { NO_EVENTS, presentDetail, severityOf, type HealthIssueWire } from './present';
import { loadProtected } from './protected-content';
import { DEFAULT_EVENT_LIMIT, readEvents } from './read-events';
import { factsOf, type TaskView } from './task-view';
import { visibleTask, type ReadDependencies, type Reading } from './visible-task';
import { taskDetailWire, type TaskDetailWire } from './wire';

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
      const taskId = taskIdOf(request);
      // One moment for all that is read: a revision never comes with the timeline of another.
      const detail = await deps.database.$transaction(
        (database) => readDetail({ database }, person, taskId),
        { isolationLevel: 'RepeatableRead' },
      );
      response.json(detail);
    },
  };
}

async function readDetail(deps: Reading, person: Person, taskId: TaskId): Promise<TaskDetailWire> {
  const view = await visibleTask(deps, person, taskId);
  const facts = factsOf(view);
  const content = mayReadProtected(facts, view.is)
    ? await loadProtected(deps.database, view)
    : null;
  const events = mayReadEvents(facts, view.is)
    ? await readEvents(deps, view, null, DEFAULT_EVENT_LIMIT)
    : NO_EVENTS;
  const healthIssues = view.is.manager ? await loadHealth(deps, view) : null;
  return presentDetail(view, person, { content, events, healthIssues }, new Date());
}

async function loadHealth(deps: Reading, { tenantId, id }: TaskView): Promise<HealthIssueWire[]> {
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
