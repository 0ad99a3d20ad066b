/** Tasks that are looked at together: enough to hide the way to Temporal, few enough to leave it to others. */
const AT_ONCE = 8;

/**
 * Does something to each item, a few at a time.
 * @param onProgress - called after each batch, with the number of items done
 * @returns what came of each, in the order of the items
 */
export async function inBatches<T, R>(
  items: readonly T[],
  each: (item: T) => Promise<R>,
  onProgress: (done: number) => void = () => undefined,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(each))));
    onProgress(results.length);
  }
  return results;
}
