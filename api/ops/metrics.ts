import { z } from 'zod';
import type { Registry } from 'prom-client';
import type { Route } from '../route';

/** `GET /metrics`, in the text format of Prometheus. Holds numbers by route and status, nothing about tasks or people. */
export function metricsRoute(registry: Registry): Route {
  return {
    method: 'get',
    path: '/metrics',
    permission: null,
    operation: {
      operationId: 'metrics',
      tags: ['Operations'],
      summary: 'Metrics for Prometheus',
      responses: {
        '200': { description: 'All metrics.', content: { 'text/plain': { schema: z.string() } } },
      },
    },
    handle: async (_request, response) => {
      response.type(registry.contentType).send(await registry.metrics());
    },
  };
}
