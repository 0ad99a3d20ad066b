import type { Request } from 'express';
import type { z } from 'zod';
import { isRecord } from '../domain/json';
import { parseTaskId, type TaskId } from '../domain/ids';
import type { FieldError } from '../domain/user-tasks/rejection';
import { notFound, Problem } from './problem';

/**
 * The body of a request as the schema reads it.
 * @throws {Problem} `invalid-request` (422) with a JSON pointer to everything that is wrong, and no value repeated
 */
export function parseBody<S extends z.ZodType>(schema: S, request: Request): z.output<S> {
  const body: unknown = request.body;
  if (!isRecord(body)) {
    throw new Problem('invalid-request', 'The body must be a JSON object.', {
      errors: [{ pointer: '', detail: 'must be an object' }],
    });
  }
  return parsed(schema, body, 'The body is not valid.');
}

/**
 * The query of a request as the schema reads it.
 * @throws {Problem} `invalid-request` (422); pointers name parameters
 */
export function parseQuery<S extends z.ZodType>(schema: S, request: Request): z.output<S> {
  return parsed(schema, request.query, 'The query is not valid.');
}

/**
 * The task that the path names.
 * @throws {Problem} `not-found` for what can be no task id
 */
export function taskIdOf(request: Request): TaskId {
  const taskId = parseTaskId(request.params['taskId']);
  if (taskId === null) throw notFound();
  return taskId;
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, detail: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const found = read.error.issues.flatMap((issue) => fieldErrors(issue, value));
  // One thing to correct for each place.
  const errors = found.filter(
    ({ pointer }, index) => found.findIndex((other) => other.pointer === pointer) === index,
  );
  throw new Problem('invalid-request', detail, { errors: errors.slice(0, MAXIMUM_ERRORS) });
}

/** More tell nobody more. */
const MAXIMUM_ERRORS = 50;

function fieldErrors(issue: z.core.$ZodIssue, value: unknown): readonly FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      detail: 'is not a known field',
    }));
  }
  const missing = issue.code === 'invalid_type' && valueAt(value, issue.path) === undefined;
  return [{ pointer: pointerTo(issue.path), detail: missing ? 'is required' : detailOf(issue) }];
}

function detailOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`;
    case 'too_big':
      return `must not exceed ${String(issue.maximum)}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${String(issue.minimum)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

/** JSON pointer to a member. @see RFC 6901 */
function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  );
}
