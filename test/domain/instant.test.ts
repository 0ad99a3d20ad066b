import fc from 'fast-check';
import { instantOf, millisOf, parseInstant } from '../../domain/instant';

describe('instants', () => {
  it('are UTC text with milliseconds', () => {
    expect(instantOf(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(instantOf(1_767_225_600_123)).toBe('2026-01-01T00:00:00.123Z');
  });

  it('drop fractions of a millisecond', () => {
    expect(instantOf(0.9)).toBe('1970-01-01T00:00:00.000Z');
  });

  it('reach from the year 1 to the end of 9999 and no further', () => {
    const first = Date.parse('0001-01-01T00:00:00.000Z');
    const last = Date.parse('9999-12-31T23:59:59.999Z');

    expect(instantOf(first)).toBe('0001-01-01T00:00:00.000Z');
    expect(instantOf(last)).toBe('9999-12-31T23:59:59.999Z');
    for (const outside of [first - 1, last + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => instantOf(outside)).toThrow(RangeError);
    }
  });

  it('sort as text in the order of time', () => {
    const moment = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [one, other] = [instantOf(a.getTime()), instantOf(b.getTime())];
        expect(one < other).toBe(a.getTime() < b.getTime());
        expect(millisOf(one)).toBe(a.getTime());
        expect(parseInstant(one)).toBe(one);
      }),
    );
  });
});

describe('reading a timestamp', () => {
  it.each([
    ['2026-03-02T09:00:00Z', '2026-03-02T09:00:00.000Z'],
    ['2026-03-02T09:00:00.5Z', '2026-03-02T09:00:00.500Z'],
    ['2026-03-02T09:00:00.123456789Z', '2026-03-02T09:00:00.123Z'],
    ['2026-03-02T09:00:00+02:00', '2026-03-02T07:00:00.000Z'],
    ['2026-03-01T23:30:00-01:00', '2026-03-02T00:30:00.000Z'],
    ['2026-03-02t09:00:00z', '2026-03-02T09:00:00.000Z'],
    ['2026-03-02 09:00:00Z', '2026-03-02T09:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['1850-06-15T00:00:00Z', '1850-06-15T00:00:00.000Z'],
    ['0044-03-15T12:00:00Z', '0044-03-15T12:00:00.000Z'],
  ])('takes %s for %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    ['no text', 1_767_225_600_123],
    ['nothing', null],
    ['an empty text', ''],
    ['a date alone', '2026-03-02'],
    ['a time without offset', '2026-03-02T09:00:00'],
    ['words', 'tomorrow'],
    ['a day that the month has not', '2026-02-31T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['a thirteenth month', '2026-13-01T00:00:00Z'],
    ['an hour past the day', '2026-03-02T25:00:00Z'],
    ['the hour 24', '2026-03-02T24:00:00Z'],
    ['a year before 1', '0000-12-31T23:59:59.999Z'],
    ['an instant that the offset moves before the year 1', '0001-01-01T00:00:00+01:00'],
    ['an impossible offset', '2026-03-02T09:00:00+99:99'],
    ['a year of five digits', '12026-03-02T09:00:00Z'],
    ['an instant that the offset moves past 9999', '9999-12-31T23:59:59-01:00'],
    ['something after it', '2026-03-02T09:00:00Z '],
  ])('refuses %s', (_name, value) => {
    expect(parseInstant(value)).toBeNull();
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (value) => {
        const read = parseInstant(value);
        expect(read === null || parseInstant(read) === read).toBe(true);
      }),
    );
  });
});
