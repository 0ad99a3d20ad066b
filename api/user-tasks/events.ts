import { z } from 'zod';
import { mayReadEvents } from '../../domain/user-tasks/access';
import { personOf } from '../authenticate';
import { parseQuery, taskIdOf } from '../parse-request';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { taskPath } from './command-route';
import { limitOf, one } from './list-query';
import { NO_EVENTS } from './present';
import { decodePlace, DEFAULT_EVENT_LIMIT, MAXIMUM_EVENT_LIMIT, readEvents } from './read-events';
import { factsOf } from './task-view';
import { visibleTask, type ReadDependencies } from './visible-task';
import { eventPageWire, type EventPageWire } from './wire';

const eventParameters = z.object({
  cursor: one.optional().meta({ description: '`nextCursor` of the page before.' }),
  limit: one.optional().meta({
    description: `Events of a page, ${DEFAULT_EVENT_LIMIT} unless given, at most ${MAXIMUM_EVENT_LIMIT}.`,
  }),
});

/** `GET /user-tasks/{taskId}/events`. @see UT-228, UT-160 */
export function eventsRoute(deps: ReadDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks/{taskId}/events',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'listUserTaskEvents',
      tags: ['Tasks'],
      summary: 'Read the timeline of a task',
      description:
        'In the order of revisions; empty for those who may see the task and not its history.',
      requestParams: { path: taskPath, query: eventParameters },
      responses: {
        '200': {
          description: 'One page.',
          content: { 'application/json': { schema: eventPageWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const view = await visibleTask(deps, personOf(request), taskIdOf(request));
      const { cursor, limit } = parseQuery(eventParameters, request);
      const after = cursor === undefined ? null : decodePlace(cursor);
      // An unknown cursor is at no place: nothing comes after it.
      const readable =
        mayReadEvents(factsOf(view), view.is) && (cursor === undefined || after !== null);
      const page: EventPageWire = readable
        ? await readEvents(
            deps,
            view,
            after,
            limitOf(limit, DEFAULT_EVENT_LIMIT, MAXIMUM_EVENT_LIMIT),
          )
        : NO_EVENTS;
      response.json(page);
    },
  };
}
