import { z } from 'zod';
import { personOf, tokenExpiryOf } from '../authenticate';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import type { TaskStream } from './task-stream';

const DESCRIPTION = `Server-sent events. Each message is \`{ kind, taskId, revision, occurredAt }\`: something has changed, so ask for the task or the list again. You are told of tasks that you may see at that moment, whichever process made the change.

The \`id\` of a message is the place to resume from (\`Last-Event-ID\`); after a break you may be told some things twice. The event \`reset\` says that messages may have been missed: load everything again. The event \`end\` gives the \`reason\` for which the server ends the stream: \`expired\` with your token, \`closing\` with the process.`;

const MESSAGE =
  'id: 42\ndata: {"kind":"task.claimed","taskId":"task_…","revision":2,"occurredAt":"2026-03-02T09:00:00.000Z"}\n\n';

/** `GET /user-tasks/stream`: what changes, as it changes. @see UT-273, UT-411 */
export function streamRoute(stream: TaskStream): Route {
  return {
    method: 'get',
    path: '/user-tasks/stream',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'streamUserTasks',
      tags: ['Tasks'],
      summary: 'Be told what changes',
      description: DESCRIPTION,
      requestParams: {
        header: z.object({
          'Last-Event-ID': z
            .string()
            .optional()
            .meta({ description: 'The `id` of the last message that arrived.' }),
        }),
      },
      responses: {
        '200': {
          description: 'The stream.',
          content: { 'text/event-stream': { schema: z.string(), example: MESSAGE } },
        },
        ...problemResponses(COMMON_PROBLEMS),
      },
    },
    handle: (request, response) => {
      const lastEventId = request.headers['last-event-id'];
      const reader = {
        person: personOf(request),
        expiresAt: tokenExpiryOf(request),
        lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      };
      return stream.open(reader, response);
    },
  };
}
