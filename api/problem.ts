import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type {} from 'pino-http'; // types request.id
import type { Logger } from '../platform/logger';
import type { FieldError, Rejection, RejectionCode } from '../domain/user-tasks/rejection';
import { describeError } from './describe-error';
import { isOutage } from './outage';

/** Every code that a response may carry: the refusals of the rules, and what arises on the way to them. */
export type ProblemCode =
  | RejectionCode
  | 'unauthenticated'
  | 'method-not-allowed'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'internal'
  | 'unavailable'
  | 'outcome-unknown';

interface ProblemKind {
  readonly status: number;
  /** Fixed for the code; `detail` says what happened this time. */
  readonly title: string;
}

/**
 * The one table of failures. Codes that concern a definition never arise over HTTP; they stand here because the table
 * is total.
 * @see UT-220
 */
export const PROBLEMS = {
  'invalid-request': { status: 422, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'Authentication is required' },
  'permission-denied': { status: 403, title: 'The permission is missing' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'unsupported-media-type': { status: 415, title: 'The content type is not supported' },
  'revision-conflict': { status: 409, title: 'The task has changed' },
  'idempotency-conflict': { status: 409, title: 'The operation id was used for something else' },
  terminal: { status: 409, title: 'The task is closed' },
  'transition-in-progress': { status: 409, title: 'The task is being closed' },
  'not-claimable': { status: 409, title: 'The task cannot be claimed' },
  'not-assigned': { status: 409, title: 'Nobody is assigned' },
  'command-expired': { status: 409, title: 'The command came too late' },
  'invalid-action': { status: 422, title: 'The action is unknown' },
  'reserved-action': { status: 422, title: 'The action is reserved' },
  'form-required': { status: 422, title: 'The action takes no data' },
  'form-invalid': { status: 422, title: 'The form data is not valid' },
  'form-resolution-failed': { status: 422, title: 'The form cannot be resolved' },
  'form-provider-missing': { status: 422, title: 'The form provider is missing' },
  'payload-too-large': { status: 422, title: 'The payload is too large' },
  'cancellation-disabled': { status: 422, title: 'The task cannot be cancelled' },
  'reason-required': { status: 422, title: 'A reason is required' },
  'invalid-priority': { status: 422, title: 'The priority is out of range' },
  'excluded-assignee': { status: 422, title: 'The assignee is excluded' },
  'cross-tenant-assignee': { status: 422, title: 'The assignee belongs to another tenant' },
  'invalid-assignee': { status: 422, title: 'The assignee cannot hold a task' },
  'timeout-not-due': { status: 422, title: 'The timeout is not due' },
  'invalid-definition': { status: 422, title: 'The task definition is not valid' },
  'cross-tenant-participant': { status: 422, title: 'A participant belongs to another tenant' },
  'owner-required': { status: 422, title: 'A task needs an owner' },
  'duplicate-materialization': { status: 409, title: 'The task exists already' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  'outcome-unknown': { status: 504, title: 'The outcome is not known yet' },
} as const satisfies Record<ProblemCode, ProblemKind>;

/** What some problems say beside code and detail. */
export interface ProblemOptions {
  readonly errors?: readonly FieldError[] | undefined;
  /** When to come back, in whole seconds: the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Where the outcome can be read: the header Location. */
  readonly location?: string;
  /** Methods that the resource has: the header Allow. */
  readonly allow?: string;
  /** 400 for a request that could not even be parsed; else the table decides. */
  readonly status?: 400;
  readonly cause?: unknown;
}

/** Seconds after which a client that met an outage may try again. */
export const RETRY_AFTER_OUTAGE_SECONDS = 5;

/** A failure that is meant for the caller. Whatever in `api/` cannot go on throws one. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Fit to show; repeats nothing protected. */
  readonly detail: string;
  readonly status: number;
  readonly errors: readonly FieldError[] | null;
  readonly retryAfterSeconds: number | null;
  readonly location: string | null;
  readonly allow: string | null;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.detail = detail;
    this.status = options.status ?? PROBLEMS[code].status;
    this.errors = options.errors ?? null;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'unavailable' ? RETRY_AFTER_OUTAGE_SECONDS : null);
    this.location = options.location ?? null;
    this.allow = options.allow ?? null;
  }
}

/** The answer for a refusal of the rules. */
export function problemOf(rejection: Rejection): Problem {
  return rejection.code === 'not-found'
    ? notFound()
    : new Problem(rejection.code, rejection.detail, { errors: rejection.errors });
}

/** The one answer for what is absent and for what the caller may not see. @see UT-212 */
export function notFound(): Problem {
  return new Problem('not-found', 'There is nothing here that you may see.');
}

/** The body of every failure. @see RFC 9457 */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  /** The same text as `detail`. */
  readonly message: string;
  readonly errors?: readonly FieldError[];
}

/**
 * Express's last middleware: the only place that builds an error response. What is no `Problem` is translated here, and
 * logged if it is a bug or an outage.
 */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const problem = translate(error);
    const id = requestIdOf(request);
    if (problem.status >= 500)
      log.error(
        { error: describeError(error), requestId: id, code: problem.code },
        'request failed',
      );
    if (response.headersSent) next(error);
    else respond(response, problem, id);
  };
}

/** The id under which the log knows the request. */
function requestIdOf(request: Request): string {
  return typeof request.id === 'string' ? request.id : randomUUID();
}

function respond(response: Response, problem: Problem, requestId: string): void {
  const body: ProblemBody = {
    type: `/problems/${problem.code}`,
    title: PROBLEMS[problem.code].title,
    status: problem.status,
    detail: problem.detail,
    instance: `urn:uuid:${requestId}`,
    code: problem.code,
    message: problem.detail,
    ...(problem.errors === null ? {} : { errors: problem.errors }),
  };
  if (problem.retryAfterSeconds !== null)
    response.setHeader('Retry-After', String(problem.retryAfterSeconds));
  if (problem.location !== null) response.setHeader('Location', problem.location);
  if (problem.allow !== null) response.setHeader('Allow', problem.allow);
  if (problem.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  response.setHeader('Cache-Control', 'no-store');
  response.status(problem.status).type('application/problem+json').send(JSON.stringify(body));
}

function translate(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isOutage(error))
    return new Problem(
      'unavailable',
      'The service is temporarily out of reach. Please try again.',
      { cause: error },
    );
  const parse = bodyProblem(error);
  return parse ?? new Problem('internal', 'Something went wrong on our side.', { cause: error });
}

/** Failures of Express and its body parser, which mark themselves with `type` or `status`. */
function bodyProblem(error: unknown): Problem | null {
  if (!(error instanceof Error)) return null;
  const { type, status } = error as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.parse.failed':
      return new Problem('invalid-request', 'The body is not valid JSON.', { status: 400 });
    case 'entity.too.large':
      return new Problem('payload-too-large', 'The body is too large.');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Problem('unsupported-media-type', 'The body must be JSON in UTF-8.');
    default:
      // A path that cannot be decoded names nothing.
      if (error instanceof URIError) return notFound();
      return typeof status === 'number' && status >= 400 && status < 500
        ? new Problem('invalid-request', 'The request cannot be read.', { status: 400 })
        : null;
  }
}
