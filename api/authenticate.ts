import type { Request, RequestHandler } from 'express';
import type { Person } from '../domain/user-tasks/actor';
import { personOfClaims, type ClaimNames } from './claims';
import { Problem } from './problem';
import { IssuerUnreachable, type TokenVerifier } from './token-verifier';

/** Who sent a request, or why nobody can be named. */
const callers = new WeakMap<Request, Person | Problem>();

/** When the token of a request ends. */
const expiries = new WeakMap<Request, Date>();

/**
 * Finds out who sent the request, from `Authorization: Bearer <token>`. Refuses nobody: the rate limit comes first, and
 * knows persons from addresses.
 * @see UT-053..057
 */
export function identify(verify: TokenVerifier, names: ClaimNames): RequestHandler {
  return async (request, _response, next) => {
    callers.set(request, await callerOf(request, verify, names));
    next();
  };
}

/** Lets only persons pass, and keeps every cache from storing what they are shown. @see UT-213, UT-247 */
export const authenticate: RequestHandler = (request, response, next) => {
  const caller = callers.get(request);
  if (caller === undefined || caller instanceof Problem) throw caller ?? unauthenticated();
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/**
 * The person who sent the request.
 * @throws {Problem} `unauthenticated` when there is none
 */
export function personOf(request: Request): Person {
  const person = knownPerson(request);
  if (person === null) throw unauthenticated();
  return person;
}

/** When the caller's token ends, and with it whatever it opened; null when it never does. */
export function tokenExpiryOf(request: Request): Date | null {
  return expiries.get(request) ?? null;
}

/** The person who sent the request, or null as long as nobody is known. */
export function knownPerson(request: Request): Person | null {
  const caller = callers.get(request);
  return caller === undefined || caller instanceof Problem ? null : caller;
}

async function callerOf(
  request: Request,
  verify: TokenVerifier,
  names: ClaimNames,
): Promise<Person | Problem> {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(
    request.headers.authorization ?? '',
  )?.[1];
  if (token === undefined) return unauthenticated();
  try {
    const claims = await verify(token);
    if (claims?.exp !== undefined) expiries.set(request, new Date(claims.exp * 1000));
    return (claims === null ? null : personOfClaims(claims, names)) ?? unauthenticated();
  } catch (error) {
    if (!(error instanceof IssuerUnreachable)) throw error;
    return new Problem(
      'unavailable',
      'Your token cannot be checked at the moment. Please try again.',
      { cause: error },
    );
  }
}

/** One answer for every token that is missing or wrong: what is wrong with it is not for its bearer to learn here. */
function unauthenticated(): Problem {
  return new Problem('unauthenticated', 'A valid access token is required.');
}
