import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import type { Person } from '../../domain/user-tasks/actor';
import { participantKey } from '../../domain/user-tasks/participant';
import type { Logger } from '../../platform/logger';
import type { Wakes } from '../../platform/wake-listener';
import type { PrismaClient } from '../../prisma/generated/client';
import { visibleTasks } from '../../prisma/task-relationships';
import { describeError } from '../describe-error';
import { Problem } from '../problem';
import { NotificationFeed, type FedNotification } from './notification-feed';
import { missedSince } from './missed';
import { StreamConnection, type StreamConnectionSettings } from './stream-connection';

/** How live streams behave. */
export interface TaskStreamSettings extends StreamConnectionSettings {
  /** Streams that one person may hold at once in this process. */
  readonly connectionsPerCaller: number;
  /** Milliseconds after which the outbox is read though nobody called. */
  readonly pollMs: number;
}

export const TASK_STREAM_SETTINGS: TaskStreamSettings = {
  heartbeatMs: 20_000,
  bufferLimit: 1_000,
  connectionsPerCaller: 10,
  pollMs: 5_000,
};

/** What live streams need. */
export interface TaskStreamDependencies {
  readonly database: PrismaClient;
  readonly wakes: Wakes;
  readonly log: Logger;
  readonly settings?: Partial<TaskStreamSettings>;
}

/** Who reads, and until when. */
export interface StreamReader {
  readonly person: Person;
  readonly expiresAt: Date | null;
  /** `Last-Event-ID` of the request; null for a reader that begins. */
  readonly lastEventId: string | null;
}

interface Reading {
  readonly person: Person;
  readonly connection: StreamConnection;
}

/** While positions are missing below the newest, they are looked for this often. */
const GAP_POLL_MS = 200;
const RETRY_MS = 1_000;

/**
 * The live stream of this process: reads the outbox once for all its readers, and tells each of them what concerns tasks
 * that the reader may see at that moment. Reads nothing as long as nobody listens.
 *
 * Somebody who has lost sight of a task altogether is not told: nothing of it is theirs any more. Candidates keep the
 * summary while another holds the task, so they are told when it is claimed or closed.
 * @see UT-273, UT-411
 */
export class TaskStream {
  readonly #deps: TaskStreamDependencies;
  readonly #settings: TaskStreamSettings;
  readonly #feed: NotificationFeed;
  readonly #readings = new Set<Reading>();
  readonly #perCaller = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #begun: Promise<void> | null = null;
  #pump: Promise<void> | null = null;
  #wake = new AbortController();
  #closing = false;
  /** Up to here everything has been told. */
  #toldUpTo = 0n;

  constructor(deps: TaskStreamDependencies) {
    this.#deps = deps;
    this.#settings = { ...TASK_STREAM_SETTINGS, ...deps.settings };
    this.#feed = new NotificationFeed(deps.database);
    this.#unsubscribe = deps.wakes.subscribe((wake) => {
      if (wake !== 'operation') this.#wake.abort();
    });
  }

  /**
   * Lets a reader listen until it goes, its token ends or the process stops.
   * @throws {Problem} `rate-limited` when the person holds too many streams; `unavailable` when the process is stopping
   */
  async open(reader: StreamReader, response: Response): Promise<void> {
    const { person, expiresAt, lastEventId } = reader;
    const release = this.#admit(person);
    response.once('close', release);
    try {
      await this.#running();
      // A caller that has gone in the meantime would never say so again.
      if (response.destroyed) return;
      const place = this.#toldUpTo;
      const connection = new StreamConnection(response, place, expiresAt, this.#settings);
      const reading = { person, connection };
      this.#readings.add(reading);
      response.once('close', () => void this.#readings.delete(reading));
      const told = lastEventId === null ? NOTHING : await this.#replay(reading, lastEventId, place);
      connection.release(told);
    } catch (error) {
      // With the headers on their way there is no problem to answer with: the client comes again.
      if (response.headersSent) response.destroy();
      release();
      throw error;
    }
  }

  /** Ends every stream and takes no more. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#unsubscribe();
    this.#wake.abort();
    for (const { connection } of this.#readings) connection.end('closing');
    this.#readings.clear();
    await this.#begun?.catch(() => undefined);
    await this.#pump;
  }

  #admit(person: Person): () => void {
    if (this.#closing) throw new Problem('unavailable', 'This process is stopping.');
    const key = participantKey(person.subject);
    const held = this.#perCaller.get(key) ?? 0;
    if (held >= this.#settings.connectionsPerCaller) {
      throw new Problem('rate-limited', 'You have too many live streams open.', {
        retryAfterSeconds: 5,
      });
    }
    this.#perCaller.set(key, held + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.#perCaller.get(key) ?? 1) - 1;
      if (left === 0) this.#perCaller.delete(key);
      else this.#perCaller.set(key, left);
    };
  }

  /** Sees to it that the outbox is being read. */
  #running(): Promise<void> {
    this.#begun ??= this.#begin().then(
      () => {
        this.#pump = this.#run();
      },
      (error: unknown) => {
        this.#begun = null;
        throw error;
      },
    );
    return this.#begun;
  }

  async #begin(): Promise<void> {
    await this.#feed.start();
    this.#toldUpTo = this.#feed.frontier;
  }

  async #run(): Promise<void> {
    let idleSince: number | null = null;
    while (!this.#closing) {
      if (this.#perCaller.size > 0) idleSince = null;
      else if (idleSince === null) idleSince = performance.now();
      else if (performance.now() - idleSince > this.#settings.pollMs) break;
      this.#wake = new AbortController();
      const more = await this.#round();
      if (!more) await this.#pause(this.#feed.hasGaps ? GAP_POLL_MS : this.#settings.pollMs);
    }
    this.#begun = null;
  }

  /** @returns whether there may be more at once */
  async #round(): Promise<boolean> {
    let read: readonly FedNotification[] | null;
    try {
      read = await this.#feed.read();
    } catch (error) {
      this.#deps.log.warn({ error: describeError(error) }, 'the outbox cannot be read');
      await this.#pause(RETRY_MS);
      return true;
    }
    const frontier = this.#feed.frontier;
    if (read === null) for (const { connection } of this.#readings) connection.reset(frontier);
    else await this.#tell(read, frontier);
    this.#toldUpTo = frontier;
    for (const { connection } of this.#readings) connection.passed(frontier);
    return read !== null && read.length > 0;
  }

  async #tell(notifications: readonly FedNotification[], frontier: bigint): Promise<void> {
    for (const tenantId of new Set(notifications.map((notification) => notification.tenantId))) {
      const told = notifications.filter((notification) => notification.tenantId === tenantId);
      const readings = [...this.#readings].filter(
        ({ person }) => person.subject.tenantId === tenantId,
      );
      if (readings.length === 0) continue;
      const seen = await this.#seen(tenantId, readings, told);
      for (const { position, message } of told) {
        const id = position < frontier ? position : frontier;
        readings.forEach(({ connection }, index) => {
          if (seen[index]?.has(message.taskId) === true) connection.tell(position, id, message);
        });
      }
    }
  }

  /** Never fails, since what was read is not read again: asks until the database answers. */
  async #seen(
    tenantId: string,
    readings: readonly Reading[],
    notifications: readonly FedNotification[],
  ): Promise<readonly ReadonlySet<string>[]> {
    const taskIds = [...new Set(notifications.map(({ message }) => message.taskId))];
    const persons = readings.map(({ person }) => person);
    for (;;) {
      try {
        return await visibleTasks(this.#deps.database, tenantId, persons, taskIds);
      } catch (error) {
        if (this.#closing) return [];
        this.#deps.log.warn({ error: describeError(error) }, 'who may be told cannot be read');
        await sleep(RETRY_MS);
      }
    }
  }

  /** Tells what a reader has missed. @returns positions that it has been told */
  async #replay(
    { person, connection }: Reading,
    lastEventId: string,
    place: bigint,
  ): Promise<ReadonlySet<bigint>> {
    const missed = await missedSince(this.#deps.database, person, lastEventId);
    if (missed === null) {
      connection.reset(place);
      return NOTHING;
    }
    for (const { position, message } of missed) {
      connection.replay(position < place ? position : place, message);
    }
    return new Set(missed.map(({ position }) => position));
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#closing) return;
    const { signal } = this.#wake;
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}

const NOTHING: ReadonlySet<bigint> = new Set();
