import { setImmediate } from 'node:timers/promises';
import { eachAtOnce } from './each-at-once';
import { latenciesOf } from './latencies';

describe('eachAtOnce', () => {
  it('has no more in flight than its limit, and keeps the order of the results', async () => {
    let inFlight = 0;
    let most = 0;
    const results = await eachAtOnce([5, 1, 4, 2, 3], 2, async (turns) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      inFlight -= 1;
      if (turns === 4) throw new Error('four');
      return turns;
    });
    expect(most).toBe(2);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
    ).toEqual([5, 1, 'failed', 2, 3]);
  });

  it('has nothing to do for nothing', async () => {
    expect(await eachAtOnce([], 4, () => Promise.resolve(1))).toEqual([]);
  });
});

describe('latencies', () => {
  it('are percentiles by the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latenciesOf(hundred)).toEqual({ count: 100, p50: 50, p95: 95, p99: 99, max: 100 });
    expect(latenciesOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7, max: 7 });
    expect(latenciesOf([])).toEqual({ count: 0, p50: 0, p95: 0, p99: 0, max: 0 });
  });
});
