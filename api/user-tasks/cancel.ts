import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { cancelBody } from './command-schema';

/** `POST /user-tasks/{taskId}/cancel`. @see UT-234 */
export function cancelRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'cancel',
    method: 'post',
    path: '/user-tasks/{taskId}/cancel',
    permission: 'user-tasks:cancel',
    summary: 'Cancel a task',
    description:
      'By a manager, where the step allows it, with a reason. The workflow receives `Cancelled`.',
    body: cancelBody,
    problems: ['reason-required', 'cancellation-disabled'],
    // The task answers a missing reason with a code of its own, after it has answered who may ask at all.
    command: ({ expectedRevision, operationId, reason }) => ({
      kind: 'cancel',
      expectedRevision,
      operationId,
      reason: reason ?? '',
    }),
  });
}
