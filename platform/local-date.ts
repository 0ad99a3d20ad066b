import { DateTime } from 'luxon';
import { instantOf, type Instant } from '../domain/instant';
import type { LocalDateTime } from '../domain/due-at';

/**
 * The instant that a local date or time means: a time as its zone's clock shows it (where a change to summer time skips
 * it, as much later), a date alone the end of that day. Null when there is no such date or zone.
 */
export function instantOfLocal({ localDate, timeZone }: LocalDateTime): Instant | null {
  const read = DateTime.fromISO(localDate, { zone: timeZone });
  if (!read.isValid) return null;
  const meant = localDate.includes('T') ? read : read.plus({ days: 1 }).startOf('day');
  try {
    return instantOf(meant.toMillis());
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
