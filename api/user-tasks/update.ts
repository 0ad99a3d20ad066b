import type { DueAtInput } from '../../domain/due-at';
import { addDuration, type Duration } from '../../domain/duration';
import { instantOf, type Instant } from '../../domain/instant';
import type { UpdateCommand } from '../../domain/user-tasks/commands';
import { instantOfLocal } from '../../platform/local-date';
import { Problem } from '../problem';
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
      ...(dueAt === undefined ? {} : scheduleOf(dueAt)),
    }),
  });
}

/** The instant that the sender meant, and what was written where that was no instant. */
function scheduleOf(input: DueAtInput | null): Pick<UpdateCommand, 'dueAt' | 'dueAtAsGiven'> {
  if (input === null) return { dueAt: null };
  if (input.kind === 'instant') return { dueAt: input.at };
  const dueAt = input.kind === 'duration' ? later(input.duration) : instantOfLocal(input.local);
  if (dueAt === null) {
    throw new Problem('invalid-request', 'The due date is none.', {
      errors: [{ pointer: '/dueAt', detail: 'must be a date that exists, in a zone that exists' }],
    });
  }
  return { dueAt, dueAtAsGiven: input.kind === 'duration' ? input.duration : { ...input.local } };
}

function later(duration: Duration): Instant | null {
  try {
    return addDuration(instantOf(Date.now()), duration);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
