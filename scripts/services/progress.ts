/** Shows one line to the person who waits. */
export type Report = (line: string) => void;

/**
 * Waits for `work` and says every few seconds that it still goes on and for how long.
 * @param label - what is being done, as in "building the Temporal server"
 */
export async function withProgress<T>(
  report: Report,
  label: string,
  work: Promise<T>,
  everyMs = 5_000,
): Promise<T> {
  const begun = Date.now();
  const timer = setInterval(() => {
    report(`  … ${label}, ${Math.round((Date.now() - begun) / 1000)} s`);
  }, everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
