import fc from 'fast-check';
import {
  canonicalJson,
  isJson,
  isRecord,
  isStorableText,
  jsonBytes,
  utf8Bytes,
} from '../../domain/json';

describe('canonical JSON', () => {
  it('is the same text whatever the order of keys, at any depth (UT-141)', () => {
    const one = { b: [{ y: 1, x: 2 }], a: { d: null, c: true } };
    const other = { a: { c: true, d: null }, b: [{ x: 2, y: 1 }] };

    expect(canonicalJson(one)).toBe(canonicalJson(other));
    expect(canonicalJson(one)).toBe('{"a":{"c":true,"d":null},"b":[{"x":2,"y":1}]}');
  });

  it('keeps the order of lists, which is content', () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
  });

  it.each([
    ['1250.00', '1250'],
    ['1e3', '1000'],
    ['0.10', '0.1'],
    ['-0', '0'],
    ['1E400', 'null'],
  ])('writes the number %s as %s (UT-141)', (received, canonical) => {
    expect(canonicalJson(JSON.parse(received))).toBe(canonical);
  });

  it('sorts keys by code units, digits and accents included', () => {
    expect(canonicalJson({ é: 1, 10: 2, 9: 3, B: 4, a: 5 })).toBe(
      '{"10":2,"9":3,"B":4,"a":5,"é":1}',
    );
  });

  it('leaves out undefined members and keeps null ones', () => {
    expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('holds the same value as the JSON it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const round: unknown = JSON.parse(canonicalJson(value));
        expect(canonicalJson(round)).toBe(canonicalJson(value));
        expect(round).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('sizes', () => {
  it.each([
    ['a', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
    ['', 0],
    ['\ud800', 3],
  ])('counts %j as %i bytes of UTF-8', (text, bytes) => {
    expect(utf8Bytes(text)).toBe(bytes);
  });

  it('counts what an encoder would write', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('measures JSON in its compact form, and what is none as null', () => {
    expect(jsonBytes({ a: 'é' })).toBe('{"a":"é"}'.length + 1);
    expect(jsonBytes(undefined)).toBe(4);
  });
});

describe('plain JSON', () => {
  it.each([[null], [true], ['text'], [0], [-1.5], [[]], [{}], [{ a: [{ b: null }] }]])(
    'accepts %j',
    (value) => expect(isJson(value)).toBe(true),
  );

  it.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', (): void => undefined],
    ['a symbol', Symbol('s')],
    ['a list with a hole', [undefined]],
    ['a function inside', { a: { b: (): void => undefined } }],
  ])('refuses %s', (_name, value) => expect(isJson(value)).toBe(false));

  it('refuses what nests without end, without running out of stack', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    let deep: unknown = null;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];

    expect(isJson(circle)).toBe(false);
    expect(isJson(deep)).toBe(false);
  });

  it('accepts whatever a JSON parser gives', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => isJson(value)));
  });

  it('tells an object with members from lists and null', () => {
    expect([{}, [], null, 'a', 1].map(isRecord)).toEqual([true, false, false, false, false]);
  });
});

describe('storable text', () => {
  it.each([[''], ['ordinary'], ['Zoë – 承認 😀'], ['line\nbreak\ttab'], ['\u0001']])(
    'accepts %j',
    (text) => expect(isStorableText(text)).toBe(true),
  );

  it.each([['\u0000'], ['a\u0000b'], ['\ud83d'], ['\ude00'], ['\ude00\ud83d'], ['a\ud83db']])(
    'refuses %j',
    (text) => expect(isStorableText(text)).toBe(false),
  );
});
