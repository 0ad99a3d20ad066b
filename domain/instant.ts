/** A point in time as UTC text with milliseconds, `YYYY-MM-DDTHH:mm:ss.sssZ`: sorts as text and survives JSON. */
export type Instant = string & { readonly __brand: 'Instant' };

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z'); // PostgreSQL knows no year 0
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const RFC3339 =
  /^\d{4}-\d{2}-\d{2}[Tt ](?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The instant at `ms` milliseconds since 1970 UTC.
 * @throws {RangeError} outside the years 1 to 9999, which the text form and PostgreSQL can hold
 */
export function instantOf(ms: number): Instant {
  if (!Number.isFinite(ms) || ms < EARLIEST_MS || ms > LATEST_MS)
    throw new RangeError(`no instant at ${ms} ms`);
  return new Date(Math.floor(ms)).toISOString() as Instant;
}

/**
 * Reads an RFC 3339 timestamp with an offset; null when `text` is none. A time without offset is refused, because two
 * readers would take it for two instants.
 */
export function parseInstant(text: unknown): Instant | null {
  if (typeof text !== 'string' || !RFC3339.test(text)) return null;
  const ms = Date.parse(text.replace(' ', 'T').toUpperCase());
  if (Number.isNaN(ms) || ms < EARLIEST_MS || ms > LATEST_MS) return null;
  return dayExists(text) ? instantOf(ms) : null;
}

/** Milliseconds since 1970 UTC. */
export function millisOf(instant: Instant): number {
  return Date.parse(instant);
}

/** JavaScript rolls 31 February over into March; a person who typed it meant something else. */
function dayExists(text: string): boolean {
  return new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10));
}
