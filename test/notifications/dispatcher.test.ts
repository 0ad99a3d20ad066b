import { startDispatcher } from '../../activities/notifications/dispatcher';
import { serveLane, takeLanes } from '../../activities/notifications/serve-lane';
import type { PublishedNotification } from '../../domain/notifications/published-notification';
import { createLogger } from '../../platform/logger';
import { createWakeListener } from '../../platform/wake-listener';
import { clerk } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { within } from '../harness/within';
import { Dispatching, MINUTE_MS } from './dispatching';
import { startReceiver, type Receiver } from './receiver';
import { tell } from './telling-tasks';

describe('deliveries', () => {
  let test: TestDatabase;
  let receiver: Receiver;
  let worker: Dispatching;

  beforeEach(async () => {
    [test, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    worker = new Dispatching(test.db);
    await worker.register({ url: receiver.url });
  });
  afterEach(async () => {
    await Promise.all([test.drop(), receiver.close()]);
  });

  it('are served by one process at a time, and by another once that has died (UT-272)', async () => {
    await tell(test.db);
    await worker.plan();
    const [mine, theirs] = [await takeLanes(worker.deps, 10), await takeLanes(worker.deps, 10)];
    expect([mine.length, theirs.length]).toEqual([1, 0]);
    worker.pass(MINUTE_MS + 1);
    const inherited = await takeLanes(worker.deps, 10);
    expect(inherited).toHaveLength(1);
    // The first comes back to life and finds that the lane is no longer its own.
    await serveLane(worker.deps, mine[0]!, () => false);
    expect(receiver.received).toHaveLength(0);
    await serveLane(worker.deps, inherited[0]!, () => false);
    expect(receiver.received).toHaveLength(1);
  });

  it('reach webhooks and a host’s sink through several processes, each once and in order (UT-059, UT-272)', async () => {
    const told: PublishedNotification[] = [];
    let failing = true;
    const sink = (notification: PublishedNotification): Promise<void> => {
      if (failing) return Promise.reject(new Error('not yet'));
      told.push(notification);
      return Promise.resolve();
    };
    const log = createLogger('test', 'silent');
    const wakes = createWakeListener({ databaseUrl: test.url, log });
    // The first attempts at the sink fail; webhooks are told all the same.
    const real = {
      ...worker.deps,
      sink,
      wakes,
      log,
      now: () => new Date(),
      retryDelaysMs: [10],
      pauseMs: 10,
      pollMs: 50,
    };
    const dispatchers = [startDispatcher(real), startDispatcher(real)];
    try {
      for (let n = 0; n < 5; n += 1) {
        const task = await tell(test.db);
        await task.step((now) => now.claimedBy(clerk));
      }
      await receiver.messages(10);
      failing = false;
      await within(15_000, () => told.length >= 10);
    } finally {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
      await wakes.close();
    }
    const stored = await test.db.userTaskNotification.findMany({ orderBy: { position: 'asc' } });
    const ids = stored.map(({ id }) => id);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
    expect(told.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(Object.keys(told[0]!).sort()).toEqual(
      ['id', 'occurredAt', 'revision', 'status', 'taskId', 'tenantId', 'type'].sort(),
    );
  });
});
