import type { Response } from 'express';
import type { StreamMessage } from './notification-feed';

/** How a connection behaves. */
export interface StreamConnectionSettings {
  /** Milliseconds between signs of life. */
  readonly heartbeatMs: number;
  /** Messages that wait for a slow reader; more are given up, and the reader is told to load everything again. */
  readonly bufferLimit: number;
}

/** Longest time that `setTimeout` can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Signs of life that a reader may leave unread before it counts as gone. */
const PATIENCE = 4;

/**
 * One reader of the live stream, as server-sent events. Keeps a bounded number of messages for a reader that is slow,
 * and ends with the reader, with its token, or with the process.
 *
 * A message stands under an `id` from which the reader can resume; so do the signs of life, so that a reader which is
 * told nothing for days does not fall behind what the outbox keeps.
 */
export class StreamConnection {
  readonly #response: Response;
  readonly #settings: StreamConnectionSettings;
  readonly #waiting: string[] = [];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #expiry: NodeJS.Timeout | null;
  #blocked = false;
  #unread = 0;
  #place: bigint;
  #told: StreamMessage | null = null;
  /** Messages that came while what was missed is still being read. */
  #held:
    { readonly position: bigint; readonly id: bigint; readonly message: StreamMessage }[] | null =
    [];

  /**
   * Sends the headers. Live messages are held until {@link release}.
   * @param place - from which the reader can resume so far
   * @param expiresAt - when the reader's token ends, and the stream with it; null for never
   */
  constructor(
    response: Response,
    place: bigint,
    expiresAt: Date | null,
    settings: StreamConnectionSettings,
  ) {
    this.#response = response;
    this.#settings = settings;
    this.#place = place;
    response.status(200).setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // No proxy may hold messages back, whole or compressed.
    response.setHeader('Cache-Control', 'no-store, no-transform');
    response.setHeader('X-Accel-Buffering', 'no');
    response.on('drain', () => this.#drain());
    response.once('close', () => this.#stop());
    this.#heartbeat = setInterval(() => this.#beat(), settings.heartbeatMs);
    this.#expiry = expiresAt === null ? null : this.#endAt(expiresAt);
    this.#write('retry: 3000\n\n');
  }

  /** Tells a change. @param id - from which the reader can resume once it has the message */
  tell(position: bigint, id: bigint, message: StreamMessage): void {
    if (this.#held === null) this.#send(id, message);
    else if (this.#held.length < this.#settings.bufferLimit)
      this.#held.push({ position, id, message });
    else this.#overflow();
  }

  /** Tells what was missed; comes before {@link release}. */
  replay(id: bigint, message: StreamMessage): void {
    this.#send(id, message);
  }

  /** Lets through what was held, but for what the reader has been told already. */
  release(told: ReadonlySet<bigint>): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { position, id, message } of held) if (!told.has(position)) this.#send(id, message);
    this.#beat();
  }

  /** Tells that messages may have been missed: load everything again. @param place - from which to go on */
  reset(place: bigint): void {
    this.#waiting.length = 0;
    this.#told = null;
    this.#place = place;
    this.#write(`event: reset\nid: ${place}\ndata: {}\n\n`);
  }

  /** Notes that everything up to `place` has been told to whom it concerns. */
  passed(place: bigint): void {
    if (this.#held === null && place > this.#place) this.#place = place;
  }

  /** Ends the stream. */
  end(reason: 'expired' | 'closing'): void {
    if (this.#response.writableEnded) return;
    this.#write(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.#response.end();
  }

  #send(id: bigint, message: StreamMessage): void {
    // A completion is told in three notifications, of which a stream would say two in the same words.
    const repeats = this.#told !== null && sameWords(this.#told, message);
    this.#told = message;
    if (id > this.#place) this.#place = id;
    if (!repeats) this.#write(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (!this.#blocked) this.#blocked = !this.#response.write(text);
    else if (this.#waiting.length < this.#settings.bufferLimit) this.#waiting.push(text);
    else this.#overflow();
  }

  /** Too slow: what waits is given up, since one `reset` says as much. */
  #overflow(): void {
    if (this.#held !== null) this.#held = [];
    this.#waiting.splice(0, this.#waiting.length, `event: reset\nid: ${this.#place}\ndata: {}\n\n`);
    if (!this.#blocked) this.#drain();
  }

  #drain(): void {
    this.#blocked = false;
    this.#unread = 0;
    while (this.#waiting.length > 0 && this.#flows()) this.#write(this.#waiting.shift() ?? '');
  }

  #flows(): boolean {
    return !this.#blocked;
  }

  #beat(): void {
    if (!this.#blocked) return this.#write(`id: ${this.#place}\n:\n\n`);
    this.#unread += 1;
    if (this.#unread >= PATIENCE) this.#response.destroy();
  }

  #endAt(expiresAt: Date): NodeJS.Timeout {
    const leftMs = Math.max(0, expiresAt.getTime() - Date.now());
    return setTimeout(() => this.end('expired'), Math.min(leftMs, LONGEST_TIMER_MS));
  }

  #stop(): void {
    clearInterval(this.#heartbeat);
    if (this.#expiry !== null) clearTimeout(this.#expiry);
  }
}

function sameWords(a: StreamMessage, b: StreamMessage): boolean {
  return a.taskId === b.taskId && a.revision === b.revision && a.kind === b.kind;
}
