import { DateTime, IANAZone } from 'luxon';
import { instantOf, type Instant } from '../domain/instant';
import type { LocalDateTime } from '../domain/due-at';

/**
 * The instant that a local date or time means: a time as its zone's clock shows it (where a change to summer time skips
 * it, as much later; where a change back shows it twice, the first), a date alone the end of that day. Null when there
 * is no such date or zone.
 */
export function instantOfLocal({ localDate, timeZone }: LocalDateTime): Instant | null {
  // Luxon also knows names such as `local`, which mean another zone on another machine.
  if (!IANAZone.isValidZone(timeZone)) return null;
  // Of a time shown twice luxon takes either, depending on the season in which it is asked.
  const [read] = DateTime.fromISO(localDate, { zone: timeZone }).getPossibleOffsets();
  if (read?.isValid !== true) return null;
  const meant = localDate.includes('T') ? read : read.plus({ days: 1 }).startOf('day');
  try {
    return instantOf(meant.toMillis());
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
