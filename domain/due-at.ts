import { addDuration, parseDuration, type Duration } from './duration';
import { parseInstant, type Instant } from './instant';
import { isRecord } from './json';

/**
 * When something is due, as people say it: an instant, a time from now, or a date or local time in a zone. A date alone
 * means until that day has ended.
 */
export type DueAtInput =
  | { readonly kind: 'instant'; readonly at: Instant }
  | { readonly kind: 'duration'; readonly duration: Duration }
  | { readonly kind: 'local'; readonly local: LocalDateTime };

/** A date (`2026-12-24`) or a time of day on it (`2026-12-24T17:00`) where the clock of `timeZone` (IANA) counts. */
export interface LocalDateTime {
  readonly localDate: string;
  readonly timeZone: string;
}

const LOCAL = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/;

/** What {@link parseDueAt} reads, fit to show. */
export const DUE_AT_FORMS =
  'a timestamp with an offset (RFC 3339), an ISO 8601 duration, or { localDate, timeZone } with an IANA zone';

/** Reads a due date; null when it is none. Whether a zone exists, only its database tells. */
export function parseDueAt(value: unknown): DueAtInput | null {
  const at = parseInstant(value);
  if (at !== null) return { kind: 'instant', at };
  const duration = parseDuration(value);
  if (duration !== null) return { kind: 'duration', duration };
  if (
    !isRecord(value) ||
    Object.keys(value).some((name) => name !== 'localDate' && name !== 'timeZone')
  )
    return null;
  const { localDate, timeZone } = value;
  if (typeof localDate !== 'string' || !LOCAL.test(localDate)) return null;
  if (typeof timeZone !== 'string' || timeZone === '' || timeZone.length > 100) return null;
  return { kind: 'local', local: { localDate, timeZone } };
}

/**
 * The instant of a due date that needs no zone; null for a local one, which needs a time zone database and is therefore
 * resolved outside (its rules change, and a workflow must come to the same instant when it is replayed).
 * @throws {RangeError} when a duration leads out of the range of instants
 */
export function instantWithoutZone(input: DueAtInput, now: Instant): Instant | null {
  switch (input.kind) {
    case 'instant':
      return input.at;
    case 'duration':
      return addDuration(now, input.duration);
    default:
      return null;
  }
}
