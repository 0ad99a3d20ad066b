import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import { parseTaskId } from '../domain/ids';
import type { Logger } from '../platform/logger';

/** Paths that are asked for all the time and say nothing. */
const UNLOGGED = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Gives every request an id and logs one line for it: method, path, status, duration. Never a body, a header or a query;
 * of the path only known words and task ids, since the rest may be a token or somebody's text.
 * @param words - that stand in the paths of routes
 * @see UT-047, UT-247
 */
export function logRequests(log: Logger, words: ReadonlySet<string>): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: () => randomUUID(),
    autoLogging: { ignore: (request) => UNLOGGED.has(request.url) },
    quietReqLogger: true,
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage) => ({
        method: request.method,
        path: safePath(request.url ?? '', words),
      }),
      res: (response: ServerResponse) => ({ status: response.statusCode }),
      err: () => undefined, // the problem handler has logged it, without what it may quote
    },
    customAttributeKeys: { reqId: 'requestId' },
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
}

/** The path with everything cut out that is neither a word of a route nor a task id. */
export function safePath(url: string, words: ReadonlySet<string>): string {
  const [path = ''] = url.split('?');
  return path
    .split('/')
    .map((part) =>
      part === '' || words.has(part) || parseTaskId(part) !== null ? part : '[redacted]',
    )
    .join('/');
}
