/** How long calls took, in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Percentiles by the nearest rank; all zero when nothing was measured. */
export function latenciesOf(milliseconds: readonly number[]): Latencies {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { count: sorted.length, p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}

/** One line for people. */
export function showLatencies({ count, p50, p95, p99, max }: Latencies): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, max ${ms(max)} (${count} calls)`;
}
