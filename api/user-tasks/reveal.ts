import { z } from 'zod';
import { mayReadProtected } from '../../domain/user-tasks/access';
import { personOf } from '../authenticate';
import { parseBody, taskIdOf } from '../parse-request';
import { notFound } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { appendAuditEvent } from '../../activities/user-tasks/audit-event';
import { taskPath } from './command-route';
import { text } from './command-schema';
import { fieldsOf, loadProtected, memberOf } from './protected-content';
import { factsOf } from './task-view';
import { visibleTask, type ReadDependencies } from './visible-task';
import { revealedFieldWire } from './wire';

const revealBody = z.strictObject({
  fieldKey: text(450).min(1).meta({ description: 'Key of a masked field.' }),
});

/** `POST /user-tasks/{taskId}/reveal`: one masked value, to those who may read it, and never unseen. @see UT-096, UT-236 */
export function revealRoute(deps: ReadDependencies): Route {
  return {
    method: 'post',
    path: '/user-tasks/{taskId}/reveal',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'revealField',
      tags: ['Tasks'],
      summary: 'Reveal a masked field',
      description:
        'The value of one field that its form masks and lets be revealed. The timeline says that you did.',
      requestParams: { path: taskPath },
      requestBody: { required: true, content: { 'application/json': { schema: revealBody } } },
      responses: {
        '200': {
          description: 'The value.',
          content: { 'application/json': { schema: revealedFieldWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found', 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const { fieldKey } = parseBody(revealBody, request);
      const view = await visibleTask(deps, person, taskIdOf(request));
      const content = mayReadProtected(factsOf(view), view.is)
        ? await loadProtected(deps.database, view)
        : null;
      const field =
        content === null ? undefined : fieldsOf(content).find(({ key }) => key === fieldKey);
      if (content === null || field?.masked !== true || !field.canReveal) throw notFound();
      // Written before the value leaves: what cannot be audited is not shown.
      await appendAuditEvent(deps.database, {
        tenantId: view.tenantId,
        taskId: view.id,
        kind: 'FieldRevealed',
        actor: person.subject,
        operationId: null,
        metadata: { fieldKey },
      });
      response.json({
        fieldKey,
        value: memberOf(content.response, fieldKey) ?? memberOf(content.taskData, fieldKey),
      });
    },
  };
}
