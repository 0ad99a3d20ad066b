/** Milliseconds between the attempts of a delivery unless configured otherwise: about 31 hours in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000,
];

/**
 * How long to wait after the `attempts`-th attempt has failed; null when it was the last.
 * @param attempts - made so far, from 1
 */
export function delayAfter(attempts: number, delaysMs: readonly number[]): number | null {
  return delaysMs[attempts - 1] ?? null;
}
