import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from '../platform/logger';
import { authenticate, identify } from './authenticate';
import type { ClaimNames } from './claims';
import { jsonBody } from './json-body';
import { logRequests } from './log-requests';
import { measureRequests } from './measure-requests';
import { codecRouter, type CodecDependencies } from './ops/codec';
import { docsPage } from './ops/docs';
import { notFound, Problem, problemHandler } from './problem';
import { limitRate } from './rate-limit';
import { requirePermission } from './require-permission';
import { expressPath, type Route } from './route';
import { routesOf, type RouteDependencies } from './routes';
import type { TokenVerifier } from './token-verifier';

/** Everything that the HTTP side needs; `server.ts` makes it, and tests do. */
export interface AppDependencies extends RouteDependencies, Omit<CodecDependencies, 'guards'> {
  readonly log: Logger;
  readonly verifyToken: TokenVerifier;
  readonly claimNames: ClaimNames;
  /** Requests per minute and caller; 0 lifts the limit. */
  readonly rateLimitPerMinute: number;
  /** How many proxies stand in front, whose word about the sender's address counts. */
  readonly trustedProxies: number;
}

/** Puts middlewares and routes together; holds no state and starts nothing. */
export function createApp(deps: AppDependencies): Express {
  const app = express();
  app.set('trust proxy', deps.trustedProxies === 0 ? false : deps.trustedProxies);
  // An ETag would tell apart the answers for absent and hidden tasks, whose bodies differ in their instance.
  app.set('etag', false);
  const routes = routesOf(deps);
  app.use(
    logRequests(deps.log, wordsOf(routes)),
    helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }),
  );
  // One limiter for all routes: what counts is the caller, not where the requests go.
  const caller = [
    identify(deps.verifyToken, deps.claimNames),
    limitRate(deps.rateLimitPerMinute),
    authenticate,
  ];
  const operator = [...caller, requirePermission('payloads:decode')];
  app.use('/codec', codecRouter({ ...deps, guards: operator }));
  app.use('/docs', docsPage());
  mountRoutes(app, routes, deps, caller);
  app.use(() => {
    throw notFound();
  });
  app.use(problemHandler(deps.log));
  return app;
}

/** The fixed parts of all paths. */
function wordsOf(routes: readonly Route[]): ReadonlySet<string> {
  const parts = routes.flatMap(({ path }) => path.split('/'));
  return new Set([
    'docs',
    'codec',
    'decode',
    'sign-in',
    ...parts.filter((part) => !part.startsWith('{')),
  ]);
}

function mountRoutes(
  app: Express,
  routes: readonly Route[],
  deps: AppDependencies,
  caller: readonly RequestHandler[],
): void {
  const measured = measureRequests(deps.metrics);
  for (const route of routes) {
    const { permission } = route;
    const guards = permission === null ? [] : [...caller, requirePermission(permission)];
    const body = route.method === 'get' ? [] : jsonBody;
    const handle = (request: Request, response: Response): Promise<void> =>
      route.handle(request, response);
    app[route.method](expressPath(route.path), measured(route.path), ...guards, ...body, handle);
  }
  for (const path of new Set(routes.map((route) => route.path)))
    refuseOtherMethods(app, path, routes);
}

function refuseOtherMethods(app: Express, path: string, routes: readonly Route[]): void {
  const allow = routes
    .filter((route) => route.path === path)
    .map((route) => route.method.toUpperCase())
    .join(', ');
  app.route(expressPath(path)).all(() => {
    throw new Problem('method-not-allowed', 'There is no such method here.', { allow });
  });
}
