import { setTimeout as sleep } from 'node:timers/promises';
import type { Wakes } from '../../platform/wake-listener';
import type { PrismaClient } from '../../prisma/generated/client';
import type { OperationDependencies } from './operation';
import { findOperation } from './operation-store';

/** Nets: how often it looks though nobody called, and how soon after one call it heeds the next. */
const SLOW_LOOK_MS = 1_000;
const CALM_MS = 25;

/**
 * Waits until the database calls, and looks now and then in case a call was lost; whoever waits holds no connection in
 * between. Any process may have settled the operation. A call says that something was settled, not what, so a busy
 * database makes waiters look up to 40 times a second.
 * @see UT-409
 */
export function createOperationWait(
  database: PrismaClient,
  wakes: Wakes,
): OperationDependencies['waitForOperation'] {
  return async (key, timeoutMs, signal) => {
    const deadline = performance.now() + timeoutMs;
    let called = new AbortController();
    const unsubscribe = wakes.subscribe(() => called.abort());
    try {
      while (!signal.aborted) {
        called = new AbortController();
        const operation = await findOperation(database, key);
        if (operation === null || operation.status !== 'Pending') return;
        const left = deadline - performance.now();
        if (left <= 0) return;
        await pause(Math.min(SLOW_LOOK_MS, left), AbortSignal.any([called.signal, signal]));
        await pause(Math.min(CALM_MS, Math.max(0, deadline - performance.now())), signal);
      }
    } finally {
      unsubscribe();
    }
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
