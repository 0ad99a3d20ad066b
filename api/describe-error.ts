import { underlying } from './outage';

/** An error as the log may hold it. */
export interface DescribedError {
  readonly name: string;
  /** Of Node, Prisma or PostgreSQL. */
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
  if (typeof error !== 'object' || error === null) {
    return { name: typeof error, code: null, message: null, frames: [], cause: null };
  }
  const { name, code, kind, originalCode } = error as Readonly<Record<string, unknown>>;
  const isError = error instanceof Error;
  const cause = underlying(error);
  return {
    name: firstText(name, kind) ?? 'object',
    code: firstText(originalCode, code) ?? null,
    message: isError && !QUOTING.test(error.name) ? error.message : null,
    frames: isError ? framesOf(error) : [],
    cause:
      cause === undefined || cause === null || depth > 4 ? null : describeError(cause, depth + 1),
  };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string');
}

/** The lines of the stack without the message, which stands before them. */
function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines
    .filter((line) => /^at .+(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line))
    .slice(0, 20);
}
