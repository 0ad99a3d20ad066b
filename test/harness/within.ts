import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds, instead of sleeping for a time that is sometimes too short.
 * @param timeoutMs - after which it gives up
 * @param condition - asked every 20 ms; holds when it gives neither `undefined`, `null` nor `false`
 * @returns what the condition gave
 * @throws {Error} naming the last failure of the condition, if it threw
 */
export async function within<T>(
  timeoutMs: number,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(20);
  } while (Date.now() < deadline);
  const shown = condition.toString().replaceAll(/\s+/g, ' ').slice(0, 120);
  throw new Error(`Did not hold within ${timeoutMs} ms: ${shown}`, { cause });
}
