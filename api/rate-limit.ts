import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { participantKey } from '../domain/user-tasks/participant';
import { knownPerson } from './authenticate';
import { Problem } from './problem';

const MINUTE_MS = 60_000;

/**
 * Limits the requests of one caller: a person, or the address of a sender that names none. Counts in this process.
 * Sends no headers about what is left, since they would tell two otherwise identical answers apart (UT-212).
 * @param perMinute - 0 lifts the limit
 * @see UT-220
 */
export function limitRate(perMinute: number): RequestHandler {
  if (perMinute === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: false,
    legacyHeaders: false,
    keyGenerator: callerKey,
    handler: (request, _response, next) => {
      next(
        new Problem('rate-limited', 'Too many requests. Please wait a little.', {
          retryAfterSeconds: secondsLeft(request),
        }),
      );
    },
  });
}

function callerKey(request: Request): string {
  const person = knownPerson(request);
  return person === null
    ? `address ${ipKeyGenerator(request.ip ?? '')}`
    : participantKey(person.subject);
}

function secondsLeft(request: Request): number {
  const { rateLimit: state } = request as { rateLimit?: { resetTime?: Date } };
  const leftMs = (state?.resetTime?.getTime() ?? Date.now() + MINUTE_MS) - Date.now();
  return Math.max(1, Math.ceil(leftMs / 1000));
}
