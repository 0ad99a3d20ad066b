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
 * of the path only words and task ids, since the rest may be a token or somebody's text.
 * @see UT-047, UT-247
 */
export function logRequests(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: () => randomUUID(),
    autoLogging: { ignore: (request) => UNLOGGED.has(request.url) },
    quietReqLogger: true,
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage) => ({
        method: request.method,
        path: safePath(request.url ?? ''),
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

/** The path with everything cut out that may be more than a place in this API. */
export function safePath(url: string): string {
  const [path = ''] = url.split('?');
  return path
    .split('/')
    .map((part) => (part === '' || isPlain(part) ? part : '[redacted]'))
    .join('/');
}

function isPlain(part: string): boolean {
  return (
    parseTaskId(part) !== null ||
    (part.length <= 30 && /^[a-z]+(-[a-z]+)*(\.(json|js|css))?$/.test(part))
  );
}
