/**
 * Lets at most `limit` jobs of one key run at once; the others wait their turn in order of arrival. Keys with nothing to
 * do take no memory.
 */
export class KeyedLimiter {
  readonly #limit: number;
  readonly #lanes = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    await this.#enter(key);
    try {
      return await job();
    } finally {
      this.#leave(key);
    }
  }

  #enter(key: string): Promise<void> | undefined {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running < this.#limit) {
      lane.running += 1;
      return undefined;
    }
    return new Promise((proceed) => lane.waiting.push(proceed));
  }

  #leave(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    const next = lane.waiting.shift();
    if (next !== undefined) return next();
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}
