/**
 * Does `work` for every item, at most `limit` at a time, in the order of the items. A failure ends nothing but its own
 * item.
 * @returns what became of each, in the order of the items
 */
export async function eachAtOnce<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) [results[index]] = await Promise.allSettled([work(item)]);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
