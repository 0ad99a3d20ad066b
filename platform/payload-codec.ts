import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { KeyRing } from './key-ring';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts every payload with AES-256-GCM, so that Temporal stores nothing in clear text. An encrypted payload has the
 * metadata `encoding: binary/encrypted` and `encryption-key-id`, and the data `iv (12) | tag (16) | ciphertext` of the
 * serialised original. The metadata is authenticated too.
 *
 * Payloads without that encoding pass through unchanged: they were written before encryption, or by another program.
 */
export function createPayloadCodec(keyRing: KeyRing): PayloadCodec {
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => encrypt(payload, keyRing))),
    // As a rejection and not a throw, also for payloads that cannot be read.
    // eslint-disable-next-line @typescript-eslint/require-await
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keyRing)),
  };
}

/**
 * The same codec, except that it leaves an encrypted payload which nobody can ever read, because it was cut off or
 * changed, as it is. One whose key is missing still fails: with that key it can be read.
 */
export function leavingBroken(codec: PayloadCodec): PayloadCodec {
  const decodeOne = async (payload: Payload): Promise<Payload> => {
    try {
      return (await codec.decode([payload]))[0] ?? payload;
    } catch (error) {
      if (error instanceof BrokenPayloadError) return payload;
      throw error;
    }
  };
  return {
    encode: (payloads) => codec.encode(payloads),
    decode: (payloads) => Promise.all(payloads.map(decodeOne)),
  };
}

class BrokenPayloadError extends ValueError {}

function encrypt(payload: Payload, keyRing: KeyRing): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(keyRing, keyRing.current), iv);
  cipher.setAAD(authenticated(keyRing.current));
  const original = temporal.api.common.v1.Payload.encode(payload).finish();
  const encrypted = Buffer.concat([cipher.update(original), cipher.final()]);
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(keyRing.current) },
    data: Buffer.concat([iv, cipher.getAuthTag(), encrypted]),
  };
}

function decrypt(payload: Payload, keyRing: KeyRing): Payload {
  if (textOf(payload.metadata?.['encoding']) !== ENCODING) return payload;
  const keyId = textOf(payload.metadata?.[KEY_ID]);
  const key = keyOf(keyRing, keyId);
  const data = Buffer.from(payload.data ?? []);
  if (data.length < IV_BYTES + TAG_BYTES)
    throw new BrokenPayloadError('An encrypted payload is too short.');
  const decipher = createDecipheriv(CIPHER, key, data.subarray(0, IV_BYTES));
  decipher.setAAD(authenticated(keyId));
  decipher.setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const original = Buffer.concat([
      decipher.update(data.subarray(IV_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    return temporal.api.common.v1.Payload.decode(original);
  } catch (error) {
    const message = `An encrypted payload cannot be read with the key "${keyId}": it was changed, or the key is another.`;
    throw new BrokenPayloadError(message, error);
  }
}

function keyOf(keyRing: KeyRing, id: string): KeyObject {
  const key = keyRing.keys.get(id);
  if (key === undefined) throw new ValueError(`The key ring has no key "${id}".`);
  return key;
}

/** What is authenticated beside the data: no payload can pass as one of another encoding or key. */
function authenticated(keyId: string): Buffer {
  return Buffer.from(`${ENCODING}\n${keyId}`);
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}
