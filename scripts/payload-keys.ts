import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';

/**
 * Makes the key ring for payload encryption unless the file is there. Whoever loses it can no longer
 * read what was encrypted, so nothing ever overwrites one.
 * @returns true when it was made now
 */
export function ensurePayloadKeys(file: string): boolean {
  if (existsSync(file)) return false;
  const keyId = `dev-${randomUUID().slice(0, 8)}`;
  const ring = { current: keyId, keys: { [keyId]: randomBytes(32).toString('base64') } };
  writeFileSync(file, `${JSON.stringify(ring, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return true;
}
