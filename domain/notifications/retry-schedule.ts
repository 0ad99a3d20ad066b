/**
 * How long to wait after the `attempts`-th attempt has failed; null when it was the last.
 * @param attempts - made so far, from 1
 */
export function delayAfter(attempts: number, delaysMs: readonly number[]): number | null {
  return delaysMs[attempts - 1] ?? null;
}
