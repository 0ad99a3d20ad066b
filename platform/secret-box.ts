import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Keeps small secrets in the database unreadable for whoever reads only the database. */
export interface SecretBox {
  /**
   * Encrypts with the current key of the ring.
   * @param context - what the secret belongs to; a sealed text opens in that context only, so that none can be put in
   *   the place of another
   */
  readonly seal: (text: string, context: string) => string;
  /** @throws {Error} when it was changed, belongs elsewhere, or its key is gone; never quoting it */
  readonly open: (sealed: string, context: string) => string;
}

/**
 * A box of AES-256-GCM with the key ring of the payloads. A sealed text is `v1.<key id>.<iv (12) | tag (16) |
 * ciphertext>`, the last two parts in base64url. What a retired key has sealed opens as long as the ring holds the key.
 */
export function createSecretBox(keyRing: KeyRing): SecretBox {
  return {
    seal: (text, context) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, keyOf(keyRing, keyRing.current), iv);
      cipher.setAAD(authenticated(keyRing.current, context));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const data = Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
      return [VERSION, Buffer.from(keyRing.current).toString('base64url'), data].join('.');
    },
    open: (sealed, context) => {
      const [version, id = '', text = ''] = sealed.split('.');
      const data = Buffer.from(text, 'base64url');
      if (version !== VERSION || data.length < IV_BYTES + TAG_BYTES) {
        throw new Error('This is no sealed secret.');
      }
      const keyId = Buffer.from(id, 'base64url').toString('utf8');
      const decipher = createDecipheriv(CIPHER, keyOf(keyRing, keyId), data.subarray(0, IV_BYTES));
      decipher.setAAD(authenticated(keyId, context));
      decipher.setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        const plain = [decipher.update(data.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(plain).toString('utf8');
      } catch (error) {
        throw new Error('A sealed secret cannot be opened: it was changed, or belongs elsewhere.', {
          cause: error,
        });
      }
    },
  };
}

function keyOf(keyRing: KeyRing, id: string): KeyObject {
  const key = keyRing.keys.get(id);
  if (key === undefined) throw new Error(`The key ring has no key "${id}".`);
  return key;
}

function authenticated(keyId: string, context: string): Buffer {
  return Buffer.from(JSON.stringify(['countersign secret', keyId, context]));
}
