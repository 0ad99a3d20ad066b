import { mayReadProtected, allowedActions } from '../../domain/user-tasks/access';
import { isManager } from '../../domain/user-tasks/actor';
import { isGranted, type Permission } from '../../domain/user-tasks/grants';
import { personOf } from '../authenticate';
import { taskIdOf } from '../parse-request';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { taskPath } from './command-route';
import { factsOf } from './task-view';
import { visibleTask, type ReadDependencies } from './visible-task';
import {
  capabilitiesWire,
  taskCapabilitiesWire,
  type CapabilitiesWire,
  type TaskCapabilitiesWire,
} from './wire';

/** What the process offers beside what grants allow. */
export interface CapabilitiesDependencies extends ReadDependencies {
  /** The live stream, null where it is switched off. */
  readonly stream: object | null;
  /** How often a client without a live stream should ask again. */
  readonly pollingIntervalSeconds: number;
}

/** `GET /user-tasks/capabilities`: what the caller's grants would allow. Advisory. @see UT-224 */
export function capabilitiesRoute({
  database,
  stream,
  pollingIntervalSeconds,
}: CapabilitiesDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks/capabilities',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'readCapabilities',
      tags: ['Tasks'],
      summary: 'What you may do in general',
      responses: {
        '200': {
          description: 'Your capabilities.',
          content: { 'application/json': { schema: capabilitiesWire } },
        },
        ...problemResponses(COMMON_PROBLEMS),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const { tenantId } = person.subject;
      const granted = (permission: Permission): boolean => isGranted(person.grants, permission);
      const capabilities: CapabilitiesWire = {
        enabled: true,
        canList: granted('user-tasks:view'),
        canRead: granted('user-tasks:view'),
        canReadAll: isManager(person, tenantId),
        canClaim: granted('user-tasks:claim'),
        canComplete: granted('user-tasks:complete'),
        canRelease: granted('user-tasks:claim'),
        canAssign: granted('user-tasks:assign'),
        canUpdate: granted('user-tasks:update'),
        canCancel: granted('user-tasks:cancel'),
        // There are no guests yet.
        canCreateGuestLinks: false,
        canViewProtected: granted('user-tasks:view'),
        participantPicker:
          granted('user-tasks/participants:view') && (await hasParticipants(database, tenantId)),
        realtime: stream !== null,
        pollingIntervalSeconds,
      };
      response.json(capabilities);
    },
  };
}

/** Whether a real directory has ever answered: only then is there anybody to pick from. */
async function hasParticipants(
  database: ReadDependencies['database'],
  tenantId: string,
): Promise<boolean> {
  return (await database.directoryParticipant.findFirst({ where: { tenantId } })) !== null;
}

/** `GET /user-tasks/{taskId}/capabilities`. @see UT-227 */
export function taskCapabilitiesRoute(deps: ReadDependencies): Route {
  return {
    method: 'get',
    path: '/user-tasks/{taskId}/capabilities',
    permission: 'user-tasks:view',
    operation: {
      operationId: 'readTaskCapabilities',
      tags: ['Tasks'],
      summary: 'What you may do with a task',
      requestParams: { path: taskPath },
      responses: {
        '200': {
          description: 'Your capabilities.',
          content: { 'application/json': { schema: taskCapabilitiesWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'not-found']),
      },
    },
    handle: async (request, response) => {
      const person = personOf(request);
      const view = await visibleTask(deps, person, taskIdOf(request));
      const facts = factsOf(view);
      const capabilities: TaskCapabilitiesWire = {
        taskId: view.id,
        revision: view.revision,
        allowedActions: [...allowedActions(facts, view.is, person.grants)],
        canReadProtected: mayReadProtected(facts, view.is),
        canManage: view.is.manager,
      };
      response.json(capabilities);
    },
  };
}
