import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeyRing, parseKeyRing } from '../../platform/key-ring';

const key = randomBytes(32).toString('base64');

describe('the key ring', () => {
  it('is read from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'key-ring-'));
    try {
      const path = join(folder, 'keys.json');
      writeFileSync(path, JSON.stringify({ current: 'a', keys: { a: key, b: key } }));
      const ring = loadKeyRing(path);
      expect(ring.current).toBe('a');
      expect([...ring.keys.keys()]).toEqual(['a', 'b']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names a file that is not there', () => {
    expect(() => loadKeyRing('/nowhere/keys.json')).toThrow(
      'The key ring /nowhere/keys.json cannot be read.',
    );
  });

  it.each([
    ['no JSON', `{ "keys": "${key}`, 'keys.json is not JSON.'],
    ['no key ring', JSON.stringify({ keys: [key] }), 'is no key ring'],
    [
      'a current key that is missing',
      JSON.stringify({ current: 'b', keys: { a: key } }),
      '"b" is not among',
    ],
    [
      'a short key',
      JSON.stringify({ current: 'a', keys: { a: key.slice(0, 20) } }),
      'must be 32 bytes',
    ],
    [
      'a key with a typing error',
      JSON.stringify({ current: 'a', keys: { a: `*${key}` } }),
      'must be 32 bytes',
    ],
  ])('refuses %s and never repeats a key', (_what, text, message) => {
    expect.assertions(2);
    try {
      parseKeyRing(text, 'keys.json');
    } catch (error) {
      expect(String(error)).toContain(message);
      expect(String(error)).not.toContain(key.slice(0, 20));
    }
  });
});
