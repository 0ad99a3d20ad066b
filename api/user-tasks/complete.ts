import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { completeBody } from './command-schema';

/** `POST /user-tasks/{taskId}/complete`. @see UT-233 */
export function completeRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'complete',
    method: 'post',
    path: '/user-tasks/{taskId}/complete',
    permission: 'user-tasks:complete',
    summary: 'Complete a task',
    description:
      'By its assignee, with one of its actions and, where the action has a form, its data.',
    body: completeBody,
    problems: [
      'invalid-action',
      'reserved-action',
      'form-required',
      'form-invalid',
      'form-resolution-failed',
      'form-provider-missing',
    ],
    command: ({ expectedRevision, operationId, actionKey, data }) => ({
      kind: 'complete',
      expectedRevision,
      operationId,
      actionKey,
      data: data ?? null,
    }),
  });
}
