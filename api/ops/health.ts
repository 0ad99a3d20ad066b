import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem } from '../problem';
import { problemResponses } from '../problem-responses';
import type { Route } from '../route';

/** Asks one thing that the process needs whether it is there; rejects if not. */
export type Probe = () => Promise<unknown>;

/** What the process needs, by name. */
export type Probes = Readonly<Record<string, Probe>>;

/** Milliseconds after which a probe counts as failed. */
const PROBE_TIMEOUT_MS = 2_000;

const statusWire = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

/** `GET /livez`: the process answers. */
export function livezRoute(): Route {
  return {
    method: 'get',
    path: '/livez',
    permission: null,
    operation: {
      operationId: 'livez',
      tags: ['Operations'],
      summary: 'Whether the process lives',
      responses: {
        '200': { description: 'It does.', content: { 'application/json': { schema: statusWire } } },
      },
    },
    handle: (_request, response) => {
      response.json({ status: 'ok' });
      return Promise.resolve();
    },
  };
}

/** `GET /readyz`: what the process needs is within reach. */
export function readyzRoute(probes: Probes): Route {
  return {
    method: 'get',
    path: '/readyz',
    permission: null,
    operation: {
      operationId: 'readyz',
      tags: ['Operations'],
      summary: 'Whether requests can be served',
      responses: {
        '200': {
          description: 'They can.',
          content: { 'application/json': { schema: statusWire } },
        },
        ...problemResponses(['unavailable']),
      },
    },
    handle: async (_request, response) => {
      const failed = await failedProbes(probes);
      if (failed.length > 0)
        throw new Problem('unavailable', `Out of reach: ${failed.join(', ')}.`);
      response.json({ status: 'ok' });
    },
  };
}

async function failedProbes(probes: Probes): Promise<readonly string[]> {
  const names = Object.keys(probes);
  const answers = await Promise.all(Object.values(probes).map((probe) => answersInTime(probe)));
  return names.filter((_name, index) => answers[index] !== true);
}

async function answersInTime(probe: Probe): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(PROBE_TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false);
  const asked = probe().then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([asked, late]);
  timer.abort();
  return answer;
}
