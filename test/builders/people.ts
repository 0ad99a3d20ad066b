import type { Person } from '../../domain/user-tasks/actor';
import type { ParticipantReference, ParticipantType } from '../../domain/user-tasks/participant';

export const TENANT = 'acme';
export const OTHER_TENANT = 'globex';
export const PROVIDER = 'directory';

/** A reference of the usual tenant and provider; the id is the display name too. */
export function reference(
  type: ParticipantType,
  id: string,
  overrides: Partial<ParticipantReference> = {},
): ParticipantReference {
  return { tenantId: TENANT, provider: PROVIDER, type, id, displayName: id, ...overrides };
}

export function user(
  id: string,
  overrides: Partial<ParticipantReference> = {},
): ParticipantReference {
  return reference('user', id, overrides);
}

export function group(
  id: string,
  overrides: Partial<ParticipantReference> = {},
): ParticipantReference {
  return reference('group', id, overrides);
}

export const CLERKS = group('clerks');

export const WORKER_GRANTS = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];
export const MANAGER_GRANTS = [
  ...WORKER_GRANTS,
  'user-tasks:assign',
  'user-tasks:update',
  'user-tasks:cancel',
  'user-tasks:invite',
  'user-tasks:supervise',
];

/** A signed-in person with a worker's grants. */
export function person(
  id: string,
  { groups = [], grants = WORKER_GRANTS }: Partial<Pick<Person, 'groups' | 'grants'>> = {},
): Person {
  return { kind: 'person', subject: user(id), groups, grants };
}

/** Belongs to the clerks, to whom `aTask()` is offered. */
export const clerk = person('clerk', { groups: [CLERKS] });
/** Another of the clerks. */
export const colleague = person('colleague', { groups: [CLERKS] });
/** Supervises the tenant's tasks and is no candidate. */
export const manager = person('manager', { grants: MANAGER_GRANTS });
/** Has a worker's grants and nothing to do with the task. */
export const outsider = person('outsider');
