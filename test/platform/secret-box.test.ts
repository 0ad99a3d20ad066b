import { parseKeyRing, type KeyRing } from '../../platform/key-ring';
import { createSecretBox } from '../../platform/secret-box';

const ring = (current: string, ...ids: readonly string[]): KeyRing => {
  const keys = Object.fromEntries(
    ids.map((id) => [id, Buffer.alloc(32, id).toString('base64')] as const),
  );
  return parseKeyRing(JSON.stringify({ current, keys }), 'keys');
};

describe('a secret box', () => {
  const box = createSecretBox(ring('a', 'a'));

  it('opens what it has sealed, which reads as nothing', () => {
    const sealed = box.seal('whsec_secret', 'here');
    expect(sealed).not.toContain('secret');
    expect(box.seal('whsec_secret', 'here')).not.toBe(sealed);
    expect(box.open(sealed, 'here')).toBe('whsec_secret');
  });

  it('opens nothing that belongs elsewhere or was changed', () => {
    const sealed = box.seal('x', 'here');
    expect(() => box.open(sealed, 'there')).toThrow('cannot be opened');
    expect(() => box.open(`${sealed.slice(0, -3)}AAA`, 'here')).toThrow('cannot be opened');
    expect(() => box.open('x', 'here')).toThrow('no sealed secret');
  });

  it('opens with the key that was used, as long as the ring has it', () => {
    const sealed = box.seal('x', 'here');
    expect(createSecretBox(ring('b', 'a', 'b')).open(sealed, 'here')).toBe('x');
    expect(() => createSecretBox(ring('b', 'b')).open(sealed, 'here')).toThrow('no key "a"');
  });
});
