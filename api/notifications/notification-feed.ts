import type { StreamKind } from '../../domain/user-tasks/notification';
import type { PrismaClient } from '../../prisma/generated/client';

/** What a live stream is told of one change. @see UT-273 */
export interface StreamMessage {
  readonly kind: StreamKind;
  readonly taskId: string;
  readonly revision: number;
  readonly occurredAt: string;
}

/** A notification with its place in the outbox. */
export interface FedNotification {
  readonly position: bigint;
  readonly tenantId: string;
  readonly message: StreamMessage;
}

/** A position that was taken and not seen, and who may still be about to commit it. */
interface Gap {
  readonly holders: ReadonlySet<string>;
}

const BATCH = 500;

/** How far below the newest position a transaction may be found that was writing when the feed began. */
const LOOK_BACK = 1_000n;

/** More gaps than a database in health ever shows; beyond them the feed begins anew and says so. */
const MOST_GAPS = 10_000n;

/**
 * Reads the outbox in the order of positions and skips none.
 *
 * Positions come from a sequence, so one transaction may commit position 8 while another still holds 7, and some
 * positions are never used. A position below the newest that is not there is a gap; it is asked for again with every
 * read, and given up once it can no longer come: whoever inserts holds a lock on the table from before it takes a
 * position until it has committed (or not), so when none of those is left that held the lock after the gap was seen,
 * and a later read does not find it, nobody will write it. `xmin` horizons would do as well, but a long transaction
 * anywhere in the cluster holds those back; and they are no upper bound for a transaction that is still running.
 *
 * The frontier is the position up to which everything has been read. It is what a client resumes from, so a client
 * that breaks off while there are gaps is told a few things twice, and misses nothing.
 */
export class NotificationFeed {
  readonly #database: PrismaClient;
  readonly #gaps = new Map<bigint, Gap>();
  #head = 0n;

  constructor(database: PrismaClient) {
    this.#database = database;
  }

  /** Position up to which everything was read that will ever be there. */
  get frontier(): bigint {
    let frontier = this.#head;
    for (const position of this.#gaps.keys()) if (position <= frontier) frontier = position - 1n;
    return frontier;
  }

  get hasGaps(): boolean {
    return this.#gaps.size > 0;
  }

  /** Begins at the newest position. What is being written at this moment will be read. */
  async start(): Promise<void> {
    const [newest] = await this.#database.$queryRaw<{ position: bigint }[]>`
      select coalesce(max(position), 0) as position from user_task_notifications`;
    this.#gaps.clear();
    this.#head = newest?.position ?? 0n;
    const from = this.#head > LOOK_BACK ? this.#head - LOOK_BACK : 0n;
    const present = await this.#database.$queryRaw<{ position: bigint }[]>`
      select position from user_task_notifications where position > ${from} and position <= ${this.#head}`;
    await this.#addGaps(from, this.#head, new Set(present.map(({ position }) => position)));
  }

  /**
   * What is new, in the order of positions; at most a batch.
   * @returns null when the feed has lost its place and began anew
   */
  async read(): Promise<readonly FedNotification[] | null> {
    // Asked before reading: who is gone by now has committed what the reading then shows, or never will.
    const writing = this.hasGaps ? await this.#writing() : NOBODY;
    const rows = await this.#database.$queryRawUnsafe<OutboxRow[]>(SELECT_NEW, this.#head, [
      ...this.#gaps.keys(),
    ]);
    for (const { position } of rows) this.#gaps.delete(position);
    for (const [position, gap] of this.#gaps) {
      if (![...gap.holders].some((holder) => writing.has(holder))) this.#gaps.delete(position);
    }
    const last = rows.at(-1)?.position ?? 0n;
    if (last > this.#head) {
      const before = this.#head;
      if (last - before > MOST_GAPS + BigInt(BATCH)) {
        await this.start();
        return null;
      }
      this.#head = last;
      await this.#addGaps(before, last, new Set(rows.map(({ position }) => position)));
    }
    return rows.flatMap(fed);
  }

  async #addGaps(after: bigint, upTo: bigint, present: ReadonlySet<bigint>): Promise<void> {
    const missing: bigint[] = [];
    for (let position = after + 1n; position <= upTo; position += 1n) {
      if (!present.has(position)) missing.push(position);
    }
    if (missing.length === 0) return;
    const holders = await this.#writing();
    for (const position of missing) this.#gaps.set(position, { holders });
  }

  /** The transactions of this database that may be inserting notifications. */
  async #writing(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.$queryRawUnsafe<{ id: string }[]>(SELECT_WRITING);
    return new Set(rows.map(({ id }) => id));
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** A row of the outbox as streams read it. */
export interface OutboxRow {
  readonly position: bigint;
  readonly tenantId: string;
  readonly taskId: string;
  readonly revision: number;
  readonly occurredAt: Date;
  /** Null for what is not for streams. */
  readonly kind: StreamKind | null;
}

/** The row as a stream tells it; nothing for what is not for streams. */
export function fed({
  position,
  tenantId,
  taskId,
  revision,
  occurredAt,
  kind,
}: OutboxRow): readonly FedNotification[] {
  if (kind === null) return [];
  const message = { kind, taskId, revision, occurredAt: occurredAt.toISOString() };
  return [{ position, tenantId, message }];
}

export const OUTBOX_COLUMNS = `position, tenant_id as "tenantId", task_id as "taskId", revision,
  occurred_at as "occurredAt", data->>'streamKind' as kind`;

const SELECT_NEW = `
select ${OUTBOX_COLUMNS} from user_task_notifications
where position > $1::bigint or position = any($2::bigint[])
order by position limit ${BATCH}`;

const SELECT_WRITING = `
select distinct virtualtransaction as id from pg_locks
where locktype = 'relation' and relation = 'user_task_notifications'::regclass and mode = 'RowExclusiveLock'
  and database = (select oid from pg_database where datname = current_database())`;
