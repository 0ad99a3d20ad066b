/**
 * Something that keeps the launcher from going on and that the person at the terminal can put
 * right. Its message is one line that says what is wrong and what to do; no stack trace is shown.
 */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/** The line to show for any failure: the message of an error, without its stack. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [first = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return first.trim();
}
