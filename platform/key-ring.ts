import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The keys with which payloads are encrypted: new ones with the current key, old ones are read with the key they name. */
export interface KeyRing {
  /** Id of the key that encrypts. */
  readonly current: string;
  /** AES-256 keys by id, the current one among them. */
  readonly keys: ReadonlyMap<string, KeyObject>;
}

const keyRingFile = z.object({
  current: z.string().min(1),
  keys: z.record(z.string().min(1), z.string()),
});

const KEY_BYTES = 32;

/**
 * Reads a key ring file: `{ "current": "<id>", "keys": { "<id>": "<32 bytes in base64>" } }`.
 *
 * To rotate: add a key on every process, then make it current, and drop an old one only when no payload of it is kept.
 *
 * @throws {Error} saying what is wrong with the file, and never what stands in it
 */
export function loadKeyRing(path: string): KeyRing {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The key ring ${path} cannot be read.`, { cause: error });
  }
  return parseKeyRing(text, path);
}

/**
 * The key ring in `text`.
 * @param name - names the text in errors
 * @throws {Error} as {@link loadKeyRing}
 */
export function parseKeyRing(text: string, name: string): KeyRing {
  const { current, keys } = fileOf(text, name);
  const ring = new Map(
    Object.entries(keys).map(([id, base64]) => [id, keyOf(base64, `${name}: the key "${id}"`)]),
  );
  if (!ring.has(current))
    throw new Error(`${name}: the current key "${current}" is not among keys.`);
  return { current, keys: ring };
}

function fileOf(text: string, name: string): z.infer<typeof keyRingFile> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: the parser's message quotes the text, and the text is keys.
    throw new Error(`${name} is not JSON.`);
  }
  const file = keyRingFile.safeParse(value);
  if (!file.success) {
    throw new Error(`${name} is no key ring: it needs { "current": id, "keys": { id: base64 } }.`);
  }
  return file.data;
}

function keyOf(base64: string, subject: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips what is not base64, so a mistyped key would pass as another one.
  const exact = bytes.toString('base64').replaceAll('=', '') === base64.replaceAll('=', '');
  if (!exact || bytes.length !== KEY_BYTES) {
    throw new Error(`${subject} must be ${KEY_BYTES} bytes in base64.`);
  }
  return createSecretKey(bytes);
}
