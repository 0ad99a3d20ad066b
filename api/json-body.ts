import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type RequestHandler } from 'express';
import { Problem } from './problem';

/** Largest body: the largest payload with room for escapes and the other fields. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** No route takes anything but JSON. @see UT-043 */
const requireJson: RequestHandler = (request, _response, next) => {
  // `is` answers null when there is no body: what is missing then is for the schema to say. Some clients announce a body
  // of nothing.
  const empty = request.headers['content-length'] === '0';
  if (!empty && request.is('application/json') === false) {
    throw new Problem('unsupported-media-type', 'The body must be application/json.');
  }
  next();
};

/** Bytes that are no UTF-8 would be replaced in silence, and what is stored would not be what was sent. */
function requireUtf8(_request: IncomingMessage, _response: ServerResponse, body: Buffer): void {
  if (!isUtf8(body)) {
    throw new Problem('invalid-request', 'The body is not UTF-8.', { status: 400 });
  }
}

/** Reads the body of a command. Any JSON value is read, so that a wrong one is answered as such and not as unparsable. */
export const jsonBody: readonly RequestHandler[] = [
  requireJson,
  json({ limit: BODY_LIMIT_BYTES, type: 'application/json', strict: false, verify: requireUtf8 }),
];
