/** A value that survives JSON unchanged: what payloads, task data and metadata are made of. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Text that is equal for equal JSON values, whatever the order of their keys: keys sorted by UTF-16 code units, numbers
 * in JavaScript's shortest form, `undefined` members left out (RFC 8785 for the values that JSON can hold).
 * @see UT-141
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return textOf(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Bytes that `text` takes in UTF-8, counted without encoding it; a lone surrogate counts as its replacement character. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Bytes of `value` serialised as compact JSON in UTF-8: what the payload limit of UT-042 measures. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(textOf(value));
}

/**
 * Whether a text can be stored and shown everywhere: no U+0000, which PostgreSQL's text cannot hold, and no half of a
 * surrogate pair, which UTF-8 cannot.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text);
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether `value` is JSON all the way down, members that are `undefined` left out: no function, bigint, symbol or NaN. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > 200) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return Object.values(value).every((item) => item === undefined || isJson(item, depth + 1));
}

/** Whether `value` is an object with named members (no array, not null). */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON text; what JSON has no text for, such as `undefined`, counts as null. */
function textOf(value: unknown): string {
  const text: unknown = JSON.stringify(value);
  return typeof text === 'string' ? text : 'null';
}
