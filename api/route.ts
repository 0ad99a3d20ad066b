import type { Request, Response } from 'express';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Permission } from '../domain/user-tasks/grants';

/**
 * One endpoint: what Express serves and what the OpenAPI document says of it, from one place, so that neither can leave
 * the other behind.
 */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As OpenAPI writes it, `/user-tasks/{taskId}/claim`. */
  readonly path: string;
  /** The one permission that the caller needs; null for the few routes that anybody may call. @see UT-246 */
  readonly permission: Permission | null;
  readonly operation: ZodOpenApiOperationObject;
  readonly handle: (request: Request, response: Response) => Promise<void>;
}

/** The path as Express writes it, `/user-tasks/:taskId/claim`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
