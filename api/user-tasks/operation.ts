import { z } from 'zod';
import { isOperationId } from '../../domain/user-tasks/parse-command';
import type { Person } from '../../domain/user-tasks/actor';
import type { TaskId } from '../../domain/ids';
import type { UserTaskOperation } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { personOf } from '../authenticate';
import { parseQuery, taskIdOf } from '../parse-request';
import { notFound } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { taskPath } from './command-route';
import { one } from './list-query';
import { findOperation, type OperationKey } from './operation-store';
import { loadTaskView } from './task-view';
import type { ReadDependencies } from './visible-task';
import { operationWire, type OperationWire } from './wire';

/** What reading operations needs. */
export interface OperationDependencies extends ReadDependencies {
  /**
   * Returns once the operation is no longer pending, or after `timeoutMs`, or when `signal` aborts, whichever is first.
   */
  readonly waitForOperation: (
    key: OperationKey,
    timeoutMs: number,
    signal: AbortSignal,
  ) => Promise<void>;
}

const MAXIMUM_WAIT_SECONDS = 30;

const operationParameters = z.object({
  wait: one.optional().meta({
    description: `Seconds, at most ${MAXIMUM_WAIT_SECONDS}, for which the answer is held while the operation is pending.`,
  }),
});

const operationPath = taskPath.extend({ operationId: z.string() });

/** `GET /user-tasks/{taskId}/operations/{operationId}`, for its actor and for managers. @see UT-409 */
export function operationRoute(deps: OperationDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks/{taskId}/operations/{operationId}',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'readOperation',
      tags: ['Commands'],
      summary: 'Read what came of a command',
      description: 'For whoever sent it and for managers.',
      requestParams: { path: operationPath, query: operationParameters },
      responses: {
        '200': {
          description: 'The operation.',
          content: { 'application/json': { schema: operationWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const key = operationKeyOf(person, taskIdOf(request), request.params['operationId']);
      let operation = await readableOperation(deps, person, key);
      const waitMs = waitMsOf(parseQuery(operationParameters, request).wait);
      if (operation.status === 'Pending' && waitMs > 0) {
        const gone = new AbortController();
        response.once('close', () => gone.abort());
        await deps.waitForOperation(key, waitMs, gone.signal);
        operation = await readableOperation(deps, person, key);
      }
      response.json(presentOperation(operation));
    },
  };
}

function operationKeyOf(person: Person, taskId: TaskId, operationId: unknown): OperationKey {
  if (!isOperationId(operationId)) throw notFound();
  return { tenantId: person.subject.tenantId, taskId, operationId };
}

/** @throws {Problem} `not-found` unless the caller sent it, or is a manager */
async function readableOperation(
  deps: OperationDependencies,
  person: Person,
  key: OperationKey,
): Promise<UserTaskOperation> {
  const [view, operation] = await Promise.all([
    loadTaskView(deps.database, person, key.taskId),
    findOperation(deps.database, key),
  ]);
  if (view === null || operation === null) throw notFound();
  const own = operation.subjectKey === participantKeyHash(person.subject) && !view.blocked;
  if (!own && !view.is.manager) throw notFound();
  return operation;
}

function waitMsOf(given: string | undefined): number {
  const seconds = Number(given ?? '');
  return seconds > 0 ? Math.min(seconds, MAXIMUM_WAIT_SECONDS) * 1000 : 0;
}

function presentOperation(operation: UserTaskOperation): OperationWire {
  return {
    operationId: operation.operationId,
    kind: operation.kind,
    status: operation.status.toLowerCase() as OperationWire['status'],
    errorCode: operation.errorCode,
    expectedRevision: operation.expectedRevision,
    revision: operation.revision,
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}
