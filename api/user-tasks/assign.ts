import type { z } from 'zod';
import type { Person } from '../../domain/user-tasks/actor';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { Problem } from '../problem';
import type { Route } from '../route';
import { commandRoute, type CommandRouteDependencies } from './command-route';
import { assignBody } from './command-schema';

/** `POST /user-tasks/{taskId}/assign`. @see UT-231 */
export function assignRoute(deps: CommandRouteDependencies): Route {
  return commandRoute(deps, {
    kind: 'assign',
    method: 'post',
    path: '/user-tasks/{taskId}/assign',
    permission: 'user-tasks:assign',
    summary: 'Assign a task',
    description:
      'By a manager, to any user of the tenant. An excluded one needs a step that allows it, and a reason.',
    body: assignBody,
    problems: ['invalid-assignee', 'excluded-assignee', 'cross-tenant-assignee'],
    command: ({ expectedRevision, operationId, reason, assignee }, person) => ({
      kind: 'assign',
      expectedRevision,
      operationId: operationId ?? null,
      reason: reason ?? null,
      assignee: assigneeOf(assignee, person),
    }),
  });
}

/** The tenant is the caller's, whatever the body says; so is the provider, when it says nothing. */
function assigneeOf(
  given: z.output<typeof assignBody>['assignee'],
  person: Person,
): ParticipantReference {
  if (given.id.trim() === '') {
    throw new Problem('invalid-assignee', 'A task is assigned to one user.', {
      errors: [{ pointer: '/assignee/id', detail: 'must not be blank' }],
    });
  }
  const { tenantId, provider } = person.subject;
  return {
    tenantId,
    provider: given.provider ?? provider,
    type: given.type ?? given.kind ?? 'user',
    id: given.id,
    displayName: given.displayName ?? null,
  };
}
