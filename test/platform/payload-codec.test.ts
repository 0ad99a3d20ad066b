import { randomBytes } from 'node:crypto';
import {
  ApplicationFailure,
  defaultPayloadConverter,
  type Payload,
  type ProtoFailure,
} from '@temporalio/common';
import { failureConverter } from '../../platform/failure-converter';
import { parseKeyRing } from '../../platform/key-ring';
import { createPayloadCodec, leavingBroken } from '../../platform/payload-codec';

const old = randomBytes(32).toString('base64');
const fresh = randomBytes(32).toString('base64');

function ringOf(current: string, keys: Record<string, string>) {
  return parseKeyRing(JSON.stringify({ current, keys }), 'test keys');
}

const beforeRotation = createPayloadCodec(ringOf('old', { old }));
const afterRotation = createPayloadCodec(ringOf('fresh', { old, fresh }));

const secret = { instructions: 'pay Mr Smith nothing' };

function payloadOf(value: unknown): Payload {
  return defaultPayloadConverter.toPayload(value);
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}

function changed(payload: Payload, at: number): Payload {
  const data = Buffer.from(payload.data!);
  data[at] = data[at]! ^ 1;
  return { ...payload, data };
}

describe('the payload codec', () => {
  it('gives back what it encrypted, and shows nothing of it (UT-386)', async () => {
    const [encrypted] = await afterRotation.encode([payloadOf(secret)]);
    expect(textOf(encrypted!.metadata!['encoding'])).toBe('binary/encrypted');
    expect(textOf(encrypted!.metadata!['encryption-key-id'])).toBe('fresh');
    expect(Buffer.from(encrypted!.data!).includes('Smith')).toBe(false);
    const [decrypted] = await afterRotation.decode([encrypted!]);
    expect(defaultPayloadConverter.fromPayload(decrypted!)).toEqual(secret);
  });

  it('keeps the order of payloads and takes none', async () => {
    const values = [1, 'two', { three: null }];
    const decrypted = await afterRotation.decode(await afterRotation.encode(values.map(payloadOf)));
    expect(decrypted.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(
      values,
    );
    expect(await afterRotation.encode([])).toEqual([]);
  });

  it('never encrypts the same payload to the same bytes', async () => {
    const [a, b] = await afterRotation.encode([payloadOf(secret), payloadOf(secret)]);
    expect(Buffer.from(a!.data!).equals(Buffer.from(b!.data!))).toBe(false);
  });

  it('reads after a rotation what was encrypted before it', async () => {
    const encrypted = await beforeRotation.encode([payloadOf(secret)]);
    const [decrypted] = await afterRotation.decode(encrypted);
    expect(defaultPayloadConverter.fromPayload(decrypted!)).toEqual(secret);
  });

  it('says which key is missing', async () => {
    const encrypted = await afterRotation.encode([payloadOf(secret)]);
    await expect(beforeRotation.decode(encrypted)).rejects.toThrow('no key "fresh"');
  });

  it.each([
    ['initialisation vector', 0],
    ['tag', 12],
    ['content', 30],
  ])('refuses a payload whose %s was changed', async (_part, at) => {
    const [encrypted] = await afterRotation.encode([payloadOf(secret)]);
    await expect(afterRotation.decode([changed(encrypted!, at)])).rejects.toThrow('was changed');
  });

  it('refuses a payload that names another key of the same bytes', async () => {
    const codec = createPayloadCodec(ringOf('a', { a: old, b: old }));
    const [encrypted] = await codec.encode([payloadOf(secret)]);
    const relabelled = {
      ...encrypted,
      metadata: { ...encrypted!.metadata, 'encryption-key-id': Buffer.from('b') },
    };
    await expect(codec.decode([relabelled])).rejects.toThrow('was changed');
  });

  it('refuses a payload that is cut off', async () => {
    const [encrypted] = await afterRotation.encode([payloadOf(secret)]);
    const data = Buffer.from(encrypted!.data!).subarray(0, 20);
    await expect(afterRotation.decode([{ ...encrypted, data }])).rejects.toThrow('too short');
  });

  it('lets through what was never encrypted', async () => {
    const plain = payloadOf(secret);
    expect(await afterRotation.decode([plain])).toEqual([plain]);
  });
});

describe('the codec that leaves broken payloads', () => {
  it('reads what can be read and gives back what never can be (UT-399)', async () => {
    const [encrypted] = await afterRotation.encode([payloadOf(secret)]);
    const broken = changed(encrypted!, 30);
    const [read, left] = await leavingBroken(afterRotation).decode([encrypted!, broken]);
    expect(defaultPayloadConverter.fromPayload(read!)).toEqual(secret);
    expect(left).toBe(broken);
  });

  it('fails for a key that is missing, since it may come', async () => {
    const encrypted = await afterRotation.encode([payloadOf(secret)]);
    await expect(leavingBroken(beforeRotation).decode(encrypted)).rejects.toThrow('no key "fresh"');
  });
});

describe('the failure converter', () => {
  it('moves message and stack into a payload for the codec (UT-386)', () => {
    const error = ApplicationFailure.nonRetryable('Mr Smith was refused', 'form-invalid', secret);
    const failure: ProtoFailure = failureConverter.errorToFailure(error, defaultPayloadConverter);
    expect(failure.message).toBe('Encoded failure');
    expect(failure.stackTrace).toBe('');
    expect(failure.encodedAttributes).toBeTruthy();
    const back = failureConverter.failureToError(failure, defaultPayloadConverter);
    expect(back.message).toBe('Mr Smith was refused');
  });
});
