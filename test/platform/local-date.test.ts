import { Settings } from 'luxon';
import { instantOfLocal } from '../../platform/local-date';

function instantOf(localDate: string, timeZone = 'Europe/Berlin'): string | null {
  return instantOfLocal({ localDate, timeZone });
}

describe('a local date', () => {
  it.each([
    ['in winter', '2026-12-24', 'Europe/Berlin', '2026-12-24T23:00:00.000Z'],
    ['in summer', '2026-07-14', 'Europe/Berlin', '2026-07-14T22:00:00.000Z'],
    ['of 23 hours', '2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['of 25 hours', '2026-10-25', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['far east', '2026-01-01', 'Pacific/Kiritimati', '2026-01-01T10:00:00.000Z'],
    ['west of Greenwich', '2026-12-31', 'America/New_York', '2027-01-01T05:00:00.000Z'],
    ['at an offset of quarters', '2026-01-01', 'Asia/Kathmandu', '2026-01-01T18:15:00.000Z'],
    ['before a day without midnight', '2026-04-23', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['in UTC', '2028-02-29', 'UTC', '2028-03-01T00:00:00.000Z'],
  ])('%s lasts until its day has ended (UT-123)', (_name, date, zone, instant) => {
    expect(instantOf(date, zone)).toBe(instant);
  });
});

describe('a local time', () => {
  it.each([
    ['in winter', '2026-12-24T17:00', '2026-12-24T16:00:00.000Z'],
    ['in summer, with seconds', '2026-07-14T17:00:30', '2026-07-14T15:00:30.000Z'],
    ['at midnight', '2026-12-24T00:00', '2026-12-23T23:00:00.000Z'],
    ['that a change to summer time skips', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['just before that change', '2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
    ['just after it', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ])('%s is what the clock of the zone shows (UT-123)', (_name, time, instant) => {
    expect(instantOf(time)).toBe(instant);
  });

  it.each([
    ['summer', '2026-07-01T00:00:00Z'],
    ['winter', '2026-01-01T00:00:00Z'],
  ])(
    'that a change back shows twice is the first, also when asked in %s (UT-123)',
    (_name, now) => {
      const clock = Settings.now;
      Settings.now = () => Date.parse(now);
      try {
        expect(instantOf('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z');
        expect(instantOf('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
        expect(instantOf('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z');
      } finally {
        Settings.now = clock;
      }
    },
  );
});

describe('there is no instant', () => {
  it.each([
    ['31 February', '2026-02-31', 'Europe/Berlin'],
    ['29 February of a common year', '2026-02-29', 'Europe/Berlin'],
    ['a thirteenth month', '2026-13-01', 'Europe/Berlin'],
    ['an hour past the day', '2026-12-24T25:00', 'Europe/Berlin'],
    ['a minute past the hour', '2026-12-24T17:60', 'Europe/Berlin'],
    ['a day that ends outside the range', '9999-12-31', 'UTC'],
    ['a year before 1', '0000-06-01', 'UTC'],
    ['an unknown zone', '2026-12-24', 'Europe/Atlantis'],
    ['the zone of the machine', '2026-12-24', 'local'],
    ['the zone of the system', '2026-12-24', 'system'],
    ['an offset in words', '2026-12-24', 'utc+3'],
  ])('for %s (UT-123)', (_name, date, zone) => {
    expect(instantOf(date, zone)).toBeNull();
  });
});
