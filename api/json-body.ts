import { json, type RequestHandler } from 'express';
import { Problem } from './problem';

/** Largest body: the largest payload with room for escapes and the other fields. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** No route takes anything but JSON. @see UT-043 */
const requireJson: RequestHandler = (request, _response, next) => {
  // `is` answers null when there is no body: what is missing then is for the schema to say.
  if (request.is('application/json') === false) {
    throw new Problem('unsupported-media-type', 'The body must be application/json.');
  }
  next();
};

/** Reads the body of a command. Any JSON value is read, so that a wrong one is answered as such and not as unparsable. */
export const jsonBody: readonly RequestHandler[] = [
  requireJson,
  json({ limit: BODY_LIMIT_BYTES, type: 'application/json', strict: false }),
];
