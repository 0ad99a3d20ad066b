import type { RequestHandler } from 'express';
import { Histogram, type Registry } from 'prom-client';

/** Measures how long requests take, by method, route and status. @returns a middleware for one route */
export function measureRequests(registry: Registry): (route: string) => RequestHandler {
  const durations = new Histogram({
    name: 'countersign_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return (route) => (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const labels = { method: request.method, route, status: String(response.statusCode) };
      durations.observe(labels, (performance.now() - startedAt) / 1000);
    });
    next();
  };
}
