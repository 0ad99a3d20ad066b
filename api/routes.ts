import type { Registry } from 'prom-client';
import { livezRoute, readyzRoute, type Probes } from './ops/health';
import { metricsRoute } from './ops/metrics';
import { notificationRoutes, type NotificationRouteDependencies } from './notifications/routes';
import { openApiDocument, openApiRoute, type OpenApiDocument } from './openapi';
import type { Route } from './route';
import { assignRoute } from './user-tasks/assign';
import { cancelRoute } from './user-tasks/cancel';
import { capabilitiesRoute, taskCapabilitiesRoute } from './user-tasks/capabilities';
import { claimRoute } from './user-tasks/claim';
import type { CommandRouteDependencies } from './user-tasks/command-route';
import { completeRoute } from './user-tasks/complete';
import { detailRoute } from './user-tasks/detail';
import { eventsRoute } from './user-tasks/events';
import { listRoute } from './user-tasks/list';
import { operationRoute, type OperationDependencies } from './user-tasks/operation';
import { releaseRoute } from './user-tasks/release';
import { participantsRoute } from './user-tasks/participants';
import { retryResolutionRoute } from './user-tasks/retry-resolution';
import { revealRoute } from './user-tasks/reveal';
import { updateRoute } from './user-tasks/update';

/** What the routes need. */
export interface RouteDependencies
  extends CommandRouteDependencies, OperationDependencies, NotificationRouteDependencies {
  readonly metrics: Registry;
  /** What must be within reach for the process to be ready. */
  readonly probes: Probes;
}

/** Every route of the API, in the order in which paths are tried: fixed ones before those with parameters. */
export function routesOf(deps: RouteDependencies): readonly Route[] {
  let document: OpenApiDocument | null = null;
  const routes: readonly Route[] = [
    listRoute(deps),
    capabilitiesRoute(deps),
    ...notificationRoutes(deps),
    detailRoute(deps),
    taskCapabilitiesRoute(deps),
    eventsRoute(deps),
    operationRoute(deps),
    claimRoute(deps),
    releaseRoute(deps),
    assignRoute(deps),
    updateRoute(deps),
    completeRoute(deps),
    cancelRoute(deps),
    retryResolutionRoute(deps),
    revealRoute(deps),
    participantsRoute(deps),
    livezRoute(),
    readyzRoute(deps.probes),
    metricsRoute(deps.metrics),
    openApiRoute(() => (document ??= openApiDocument(routes))),
  ];
  return routes;
}
