import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { claimBody } from './command-schema';

/** `POST /user-tasks/{taskId}/retry-resolution`. @see UT-167, UT-235 */
export function retryResolutionRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'retryResolution',
    method: 'post',
    path: '/user-tasks/{taskId}/retry-resolution',
    permission: 'user-tasks:supervise',
    summary: 'Retry what could not be resolved',
    description:
      'Asks form provider and directory again for what is missing. The task does it by itself; what came of it shows in its health.',
    body: claimBody,
    problems: [],
    command: (body) => ({
      kind: 'retryResolution',
      expectedRevision: body.expectedRevision,
      operationId: body.operationId ?? null,
    }),
  });
}
