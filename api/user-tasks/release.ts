import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { releaseBody } from './command-schema';

/** `POST /user-tasks/{taskId}/release`. @see UT-230 */
export function releaseRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'release',
    method: 'post',
    path: '/user-tasks/{taskId}/release',
    permission: 'user-tasks:claim',
    summary: 'Give a task back',
    description: 'By its assignee or a manager: the candidates may claim it again.',
    body: releaseBody,
    problems: ['not-assigned'],
    command: ({ expectedRevision, operationId, reason }) => ({
      kind: 'release',
      expectedRevision,
      operationId: operationId ?? null,
      reason: reason ?? null,
    }),
  });
}
