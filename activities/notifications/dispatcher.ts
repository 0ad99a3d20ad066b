import { setTimeout as sleep } from 'node:timers/promises';
import type { Wakes } from '../../platform/wake-listener';
import { planDeliveries } from './plan-deliveries';
import { serveLane, takeLanes, type LaneDependencies } from './serve-lane';

/** What the dispatcher needs. */
export interface DispatcherDependencies extends LaneDependencies {
  readonly wakes: Wakes;
  /** Milliseconds after which it looks though nobody called. Default 1000. */
  readonly pollMs?: number;
  /** Endpoints to which it sends at once. Default 32. */
  readonly lanes?: number;
}

/** How a dispatcher works unless a test is in a hurry. */
export const DISPATCHER_TIMES = {
  now: () => new Date(),
  timeoutMs: 10_000,
  pauseMs: 5_000,
} as const;

/**
 * Brings notifications to webhooks and to the host's sink, at least once each, until it is stopped. Any number of
 * processes share the work; one that dies gives it back when its leases end.
 * @returns `stop` lets attempts that are under way end
 * @see UT-272
 */
export function startDispatcher(deps: DispatcherDependencies): {
  readonly stop: () => Promise<void>;
} {
  const { pollMs = 1_000, lanes: mostLanes = 32 } = deps;
  const running = new Set<Promise<void>>();
  let stopped = false;
  const isStopped = (): boolean => stopped;
  let wake = new AbortController();
  const unsubscribe = deps.wakes.subscribe((kind) => {
    if (kind !== 'operation') wake.abort();
  });

  const round = async (): Promise<boolean> => {
    const planned = await planDeliveries(deps.database, deps.sink !== null, deps.now());
    const free = mostLanes - running.size;
    const lanes = free === 0 ? [] : await takeLanes(deps, free);
    for (const lane of lanes) {
      const served = serveLane(deps, lane, isStopped)
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a webhook could not be served'))
        .finally(() => {
          running.delete(served);
          wake.abort();
        });
      running.add(served);
    }
    return planned > 0;
  };

  const run = async (): Promise<void> => {
    while (!isStopped()) {
      wake = new AbortController();
      const more = await round().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'notifications could not be dispatched');
        return false;
      });
      if (!more && !isStopped())
        await sleep(pollMs, undefined, { signal: wake.signal }).catch(() => undefined);
    }
    await Promise.all(running);
  };

  const done = run();
  return {
    stop: async () => {
      stopped = true;
      unsubscribe();
      wake.abort();
      await done;
    },
  };
}
