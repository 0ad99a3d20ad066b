import { setTimeout as sleep } from 'node:timers/promises';
import type { PrismaClient } from '../../prisma/generated/client';
import type { OperationDependencies } from './operation';
import { findOperation } from './operation-store';

const INTERVAL_MS = 100;

/** Waits by looking every 100 ms; whoever waits holds no connection in between. @see UT-409 */
export function createOperationPoll(
  database: PrismaClient,
): OperationDependencies['waitForOperation'] {
  return async (key, timeoutMs, signal) => {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline && !signal.aborted) {
      const left = Math.max(0, deadline - performance.now());
      await sleep(Math.min(INTERVAL_MS, left), undefined, { signal }).catch(() => undefined);
      const operation = await findOperation(database, key);
      if (operation === null || operation.status !== 'Pending') return;
    }
  };
}
