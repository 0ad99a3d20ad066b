import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { claimBody } from './command-schema';

/** `POST /user-tasks/{taskId}/claim`. @see UT-229 */
export function claimRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'claim',
    method: 'post',
    path: '/user-tasks/{taskId}/claim',
    permission: 'user-tasks:claim',
    summary: 'Claim a task',
    description: 'Makes you, a candidate, the assignee. Of several who claim at once one wins.',
    body: claimBody,
    problems: ['not-claimable'],
    command: (body) => ({
      kind: 'claim',
      expectedRevision: body.expectedRevision,
      operationId: body.operationId ?? null,
    }),
  });
}
