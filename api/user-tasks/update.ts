import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { updateBody } from './command-schema';

/** `PATCH /user-tasks/{taskId}`. @see UT-232, UT-124 */
export function updateRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'update',
    method: 'patch',
    path: '/user-tasks/{taskId}',
    permission: 'user-tasks:update',
    summary: 'Change priority or due date',
    description: 'By a manager. What is left out stays; nothing else can be changed.',
    body: updateBody,
    problems: ['invalid-priority'],
    command: ({ expectedRevision, operationId, priority, dueAt }) => ({
      kind: 'update',
      expectedRevision,
      operationId: operationId ?? null,
      ...(priority === undefined ? {} : { priority }),
      ...(dueAt === undefined ? {} : { dueAt }),
    }),
  });
}
