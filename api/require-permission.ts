import type { RequestHandler } from 'express';
import { isGranted, type Permission } from '../domain/user-tasks/grants';
import { personOf } from './authenticate';
import { Problem } from './problem';

/** Refuses whoever lacks the route's permission, before any task is loaded. @see UT-213, UT-246 */
export function requirePermission(permission: Permission): RequestHandler {
  return (request, _response, next) => {
    if (!isGranted(personOf(request).grants, permission)) {
      throw new Problem('permission-denied', `This needs the permission ${permission}.`);
    }
    next();
  };
}
