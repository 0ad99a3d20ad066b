import { instantOf, millisOf, type Instant } from './instant';

/** An ISO 8601 duration as it was written, for example `P2D`, `PT4H30M` or `P1M`; never negative, never empty. */
export type Duration = string & { readonly __brand: 'Duration' };

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:[.,](\d{1,3}))?S)?)?$/;

/** `text` as a duration of more than nothing, or null. @see ISO 8601-1, 5.5.2 */
export function parseDuration(text: unknown): Duration | null {
  if (typeof text !== 'string') return null;
  const parts = DURATION.exec(text);
  if (parts === null || parts.slice(1).every((part) => Number(part || 0) === 0)) return null;
  return text as Duration;
}

/**
 * The instant `duration` after `start`. Years and months count in the UTC calendar and end on the last day of a shorter
 * month; weeks and days are 7 and 1 times 24 hours.
 * @throws {RangeError} when the sum leaves the range of instants
 */
export function addDuration(start: Instant, duration: Duration): Instant {
  const { years, months, weeks, days, hours, minutes, seconds, fraction } = partsOf(duration);
  const date = new Date(millisOf(start));
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + years * 12 + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  const clock = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
  return instantOf(date.getTime() + clock * 1000 + fraction);
}

/** Length in milliseconds of a duration without years and months, or null for one that has them. */
export function millisOfDuration(duration: Duration): number | null {
  const { years, months } = partsOf(duration);
  if (years !== 0 || months !== 0) return null;
  const epoch = instantOf(0);
  return millisOf(addDuration(epoch, duration));
}

/** The numbers of a duration; the fraction of its seconds in milliseconds. */
function partsOf(duration: Duration) {
  // Groups that did not take part are undefined, whatever their type says.
  const parts: readonly (string | undefined)[] = DURATION.exec(duration) ?? [];
  const [, years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] =
    parts.map((part) => Number(part ?? 0));
  return {
    years,
    months,
    weeks,
    days,
    hours,
    minutes,
    seconds,
    fraction: Number((parts[8] ?? '').padEnd(3, '0')),
  };
}
