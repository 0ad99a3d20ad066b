/** An error as the log may hold it. */
export interface DescribedError {
  readonly name: string;
  readonly code: string | null;
  /** Null where the text may quote data. */
  readonly message: string | null;
  readonly frames: readonly string[];
  readonly cause: DescribedError | null;
}

/** Errors whose text quotes what was sent or stored: statements, their arguments, JSON that cannot be parsed. */
const QUOTING = /^(Prisma|DriverAdapter|SyntaxError|DatabaseError|error$|ZodError|\$ZodError)/;

/**
 * What of an error is safe to log: where it happened and what it is, its text only if that quotes no data.
 * @see UT-047, UT-157
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error))
    return { name: typeof error, code: null, message: null, frames: [], cause: null };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    name: error.name,
    code: typeof code === 'string' ? code : null,
    message: QUOTING.test(error.name) ? null : error.message,
    frames: framesOf(error),
    cause: cause === undefined || depth > 4 ? null : describeError(cause, depth + 1),
  };
}

/** The lines of the stack without the message, which stands before them. */
function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines
    .filter((line) => /^at .+(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line))
    .slice(0, 20);
}
