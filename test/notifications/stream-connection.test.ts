import { Writable } from 'node:stream';
import type { Response } from 'express';
import { StreamConnection } from '../../api/notifications/stream-connection';
import type { StreamMessage } from '../../api/notifications/notification-feed';

/** A reader's socket that takes nothing until it is told to. */
class SlowReader extends Writable {
  readonly taken: string[] = [];
  #stalled: (() => void) | null = null;
  stalls = true;

  constructor() {
    super({ highWaterMark: 64 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(chunk.toString());
    if (this.stalls) this.#stalled = done;
    else done();
  }

  status(): this {
    return this;
  }

  setHeader(): void {
    // Headers are not what these tests look at.
  }

  read(): void {
    this.stalls = false;
    this.#stalled?.();
  }
}

const message = (revision: number): StreamMessage => ({
  kind: 'task.updated',
  taskId: 'task_x',
  revision,
  occurredAt: '2026-03-02T09:00:00.000Z',
});

describe('one reader of the live stream', () => {
  const open: StreamConnection[] = [];
  const readers: SlowReader[] = [];
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.destroy();
    open.splice(0);
  });

  const connect = (settings: { heartbeatMs?: number; bufferLimit?: number } = {}) => {
    const reader = new SlowReader();
    const connection = new StreamConnection(reader as unknown as Response, 0n, null, {
      heartbeatMs: 600_000,
      bufferLimit: 10,
      ...settings,
    });
    open.push(connection);
    readers.push(reader);
    return { reader, connection };
  };

  const text = (reader: SlowReader): string => reader.taken.join('');

  it('that is slow is kept a bounded number of messages, then told to load everything again (UT-411)', async () => {
    const { reader, connection } = connect();
    connection.release(new Set());
    for (let n = 1; n <= 1_000; n += 1) connection.tell(BigInt(n), BigInt(n), message(n));
    reader.read();
    await new Promise((done) => setImmediate(done));
    connection.tell(2_000n, 2_000n, message(2_000));
    await new Promise((done) => setImmediate(done));
    expect(text(reader)).toContain('event: reset');
    expect(text(reader)).toContain('"revision":2000');
    expect(text(reader).split('\n\n').length).toBeLessThan(30);
  });

  it('that reads again in time is told everything, in order (UT-411)', async () => {
    const { reader, connection } = connect();
    connection.release(new Set());
    for (let n = 1; n <= 8; n += 1) connection.tell(BigInt(n), BigInt(n), message(n));
    reader.read();
    await new Promise((done) => setImmediate(done));
    const revisions = [...text(reader).matchAll(/"revision":(\d+)/g)].map(
      ([, revision]) => revision,
    );
    expect(revisions).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(text(reader)).not.toContain('reset');
  });

  it('that reads nothing for long is given up', async () => {
    const { reader, connection } = connect({ heartbeatMs: 5 });
    connection.release(new Set());
    for (let n = 1; n <= 5; n += 1) connection.tell(BigInt(n), BigInt(n), message(n));
    await new Promise((done) => reader.once('close', done));
    expect(reader.destroyed).toBe(true);
  });

  it('is told what it has missed first, and nothing twice (UT-411)', async () => {
    const { reader, connection } = connect();
    reader.read();
    connection.tell(2n, 2n, message(2));
    connection.tell(3n, 3n, message(3));
    connection.tell(4n, 4n, message(4));
    for (const n of [1, 2, 3]) connection.replay(BigInt(n), message(n));
    connection.release(new Set([1n, 2n, 3n]));
    await new Promise((done) => setImmediate(done));
    const revisions = [...text(reader).matchAll(/"revision":(\d+)/g)].map(
      ([, revision]) => revision,
    );
    expect(revisions).toEqual(['1', '2', '3', '4']);
  });
});
