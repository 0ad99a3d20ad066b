import fc from 'fast-check';
import { instantWithoutZone, parseDueAt } from '../../domain/due-at';
import { addDuration, millisOfDuration, parseDuration, type Duration } from '../../domain/duration';
import { millisOf, parseInstant, type Instant } from '../../domain/instant';

const NOW = '2026-03-02T09:00:00.000Z' as Instant;

describe('reading a duration', () => {
  it.each(['P2D', 'PT4H30M', 'P1M', 'P1Y2M3W4DT5H6M7S', 'PT0.5S', 'PT1,25S', 'P0DT1M', 'P1W'])(
    'takes %s',
    (text) => {
      expect(parseDuration(text)).toBe(text);
    },
  );

  it.each([
    ['nothing', ''],
    ['no part', 'P'],
    ['a time without a part', 'P1DT'],
    ['no part but the time', 'PT'],
    ['zero days', 'P0D'],
    ['zero of everything', 'P0Y0M0W0DT0H0M0.0S'],
    ['a negative duration', '-P1D'],
    ['a negative part', 'P-1D'],
    ['a sign', '+P1D'],
    ['lower case', 'p1d'],
    ['half a day', 'P1.5D'],
    ['minutes before hours', 'PT1M2H'],
    ['hours without T', 'P4H'],
    ['a blank', ' P1D'],
    ['a number', 86_400],
    ['no text', null],
  ])('refuses %s', (_name, value) => {
    expect(parseDuration(value)).toBeNull();
  });
});

describe('adding a duration', () => {
  it.each([
    ['2026-03-02T09:00:00.000Z', 'P2D', '2026-03-04T09:00:00.000Z'],
    ['2026-03-02T09:00:00.000Z', 'PT4H30M', '2026-03-02T13:30:00.000Z'],
    ['2026-03-02T09:00:00.000Z', 'P1W', '2026-03-09T09:00:00.000Z'],
    ['2026-03-02T09:00:00.000Z', 'PT0.5S', '2026-03-02T09:00:00.500Z'],
    ['2026-03-02T09:00:00.000Z', 'PT1,25S', '2026-03-02T09:00:01.250Z'],
    ['2026-01-31T12:00:00.000Z', 'P1M', '2026-02-28T12:00:00.000Z'],
    ['2028-01-31T12:00:00.000Z', 'P1M', '2028-02-29T12:00:00.000Z'],
    ['2026-03-31T23:59:59.999Z', 'P1M', '2026-04-30T23:59:59.999Z'],
    ['2026-12-31T00:00:00.000Z', 'P2M', '2027-02-28T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 'P1Y', '2029-02-28T00:00:00.000Z'],
    ['2026-01-30T00:00:00.000Z', 'P1M1D', '2026-03-01T00:00:00.000Z'],
    ['2026-03-02T09:00:00.000Z', 'P1Y2M3W4DT5H6M7S', '2027-05-27T14:06:07.000Z'],
  ])('to %s makes of %s %s', (start, duration, sum) => {
    expect(addDuration(start as Instant, duration as Duration)).toBe(sum);
  });

  it('counts a day as 24 hours whatever a clock on a wall shows', () => {
    const beforeSummerTime = '2026-03-28T12:00:00.000Z' as Instant;

    expect(addDuration(beforeSummerTime, 'P1D' as Duration)).toBe(
      addDuration(beforeSummerTime, 'PT24H' as Duration),
    );
  });

  it('never leaves the range of instants unnoticed', () => {
    expect(() => addDuration(NOW, 'P8000Y' as Duration)).toThrow(RangeError);
    expect(() => addDuration(NOW, 'P999999Y' as Duration)).toThrow(RangeError);
    expect(() =>
      addDuration('9999-12-31T23:59:59.999Z' as Instant, 'PT0.001S' as Duration),
    ).toThrow(RangeError);
  });

  it('always leads forward, and by the same length where no month is in it', () => {
    const part = fc.nat(400);
    fc.assert(
      fc.property(part, part, part, part, (months, days, minutes, seconds) => {
        const duration = parseDuration(`P${months}M${days}DT${minutes}M${seconds}S`);
        fc.pre(duration !== null);
        const length = millisOf(addDuration(NOW, duration)) - millisOf(NOW);
        expect(length).toBeGreaterThan(0);
        const plain = months === 0 ? length : null;
        expect(millisOfDuration(duration)).toBe(plain);
      }),
    );
  });
});

describe('the length of a duration', () => {
  it.each([
    ['P1W', 604_800_000],
    ['P1DT1H', 90_000_000],
    ['PT0.25S', 250],
    ['P0Y1D', 86_400_000],
    ['P1M', null],
    ['P1Y', null],
  ])('%s is %s ms', (duration, ms) => {
    expect(millisOfDuration(duration as Duration)).toBe(ms);
  });
});

describe('reading a due date', () => {
  it('takes an instant, a duration or a local date in a zone (UT-123)', () => {
    const local = { localDate: '2026-12-24', timeZone: 'Europe/Berlin' };

    expect(parseDueAt('2026-03-04T10:00:00+01:00')).toEqual({
      kind: 'instant',
      at: '2026-03-04T09:00:00.000Z',
    });
    expect(parseDueAt('P2D')).toEqual({ kind: 'duration', duration: 'P2D' });
    expect(parseDueAt(local)).toEqual({ kind: 'local', local });
  });

  it.each(['2026-12-24', '2026-12-24T17:00', '2026-12-24T17:00:30'])(
    'takes the local date %s',
    (localDate) => {
      const local = { localDate, timeZone: 'UTC' };

      expect(parseDueAt(local)).toEqual({ kind: 'local', local });
    },
  );

  it.each<[string, unknown]>([
    ['no value', null],
    ['a date without zone', '2026-12-24'],
    ['a time without offset', '2026-12-24T17:00:00'],
    ['a local date without zone', { localDate: '2026-12-24' }],
    ['a blank zone', { localDate: '2026-12-24', timeZone: '' }],
    ['a zone that is a number', { localDate: '2026-12-24', timeZone: 1 }],
    ['a zone of any length', { localDate: '2026-12-24', timeZone: 'x'.repeat(101) }],
    ['a local date with an offset', { localDate: '2026-12-24T17:00+01:00', timeZone: 'UTC' }],
    ['a local date with a fraction', { localDate: '2026-12-24T17:00:00.5', timeZone: 'UTC' }],
    ['a local date in words', { localDate: 'tomorrow', timeZone: 'UTC' }],
    ['a local date that is a number', { localDate: 20_261_224, timeZone: 'UTC' }],
    ['a week date', { localDate: '2026-W52-4', timeZone: 'UTC' }],
    ['what it does not know', { localDate: '2026-12-24', timeZone: 'UTC', time: '17:00' }],
    ['a duration of nothing', 'P0D'],
    ['a duration into the past', '-P1D'],
    ['a list', ['P1D']],
  ])('refuses %s', (_name, value) => {
    expect(parseDueAt(value)).toBeNull();
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (value) => {
        const read = parseDueAt(value);
        expect(read === null || ['instant', 'duration', 'local'].includes(read.kind)).toBe(true);
      }),
    );
  });
});

describe('the instant of a due date', () => {
  it('is the instant itself, or counts from now (UT-123)', () => {
    const instant = parseInstant('2020-01-01T00:00:00Z')!;

    expect(instantWithoutZone({ kind: 'instant', at: instant }, NOW)).toBe(instant);
    expect(instantWithoutZone(parseDueAt('P1M')!, NOW)).toBe('2026-04-02T09:00:00.000Z');
  });

  it('of a local date is not known without its zone (UT-123)', () => {
    const local = { localDate: '2026-12-24', timeZone: 'UTC' };

    expect(instantWithoutZone({ kind: 'local', local }, NOW)).toBeNull();
  });
});
