/** What a caller may do with user tasks in general; a relationship to the task must be added. @see UT-207 */
export const USER_TASK_VERBS = [
  'view',
  'update',
  'claim',
  'complete',
  'assign',
  'cancel',
  'invite',
  'supervise',
] as const;

export type UserTaskVerb = (typeof USER_TASK_VERBS)[number];

/** A permission of this module: `user-tasks` with one of its verbs, looking up participants, or, for operators
 * alone, reading payloads in Temporal, whosever tasks they belong to.
 */
export type Permission =
  `user-tasks:${UserTaskVerb}` | 'user-tasks/participants:view' | 'payloads:decode';

/**
 * Whether one of `grants` covers `permission`. Grants are `{resource}:{verb}`, compared byte for byte; `*` stands for
 * every verb or every resource, `resource/*` for the resource and everything below it, and a lone `*` for `*:*`.
 * Anything else, malformed text included, covers nothing. No verb implies another.
 * @see UT-207, UT-208, UT-057
 */
export function isGranted(grants: readonly string[], permission: Permission): boolean {
  const [resource = '', verb = ''] = permission.split(':');
  return grants.some((grant) => covers(grant, resource, verb));
}

function covers(grant: string, resource: string, verb: string): boolean {
  if (grant === '*') return true;
  const parts = grant.split(':');
  const [grantedResource, grantedVerb] = parts;
  if (parts.length !== 2 || !grantedResource || !grantedVerb) return false;
  return (grantedVerb === '*' || grantedVerb === verb) && coversResource(grantedResource, resource);
}

function coversResource(granted: string, resource: string): boolean {
  if (granted === '*' || granted === resource) return true;
  if (!granted.endsWith('/*')) return false;
  const root = granted.slice(0, -2);
  return resource === root || resource.startsWith(`${root}/`);
}
