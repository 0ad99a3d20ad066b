import { randomUUID } from 'node:crypto';
import { planDeliveries } from '../../activities/notifications/plan-deliveries';
import { pruneNotifications } from '../../activities/notifications/prune-notifications';
import { clerk } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { notificationsOfTask, tell } from './telling-tasks';

/** Tasks of tests are created long before. */
const NOW = new Date('2026-06-01T00:00:00.000Z');
const BEFORE_ALL = new Date('2026-01-01T00:00:00.000Z');

describe('the outbox is emptied', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  const told = async () => {
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    return task;
  };

  it('of what is old and was told, and of nothing else (UT-283)', async () => {
    const task = await told();
    expect(await pruneNotifications(test.db, NOW)).toBe(0);
    await planDeliveries(test.db, false, NOW);
    expect(await pruneNotifications(test.db, BEFORE_ALL)).toBe(0);
    const events = await test.db.userTaskEvent.findMany();
    const rows = await test.db.userTask.findMany();
    expect(await pruneNotifications(test.db, NOW)).toBe(2);
    expect(await notificationsOfTask(test.db, task.id)).toEqual([]);
    expect(await test.db.userTaskEvent.findMany()).toEqual(events);
    expect(await test.db.userTask.findMany()).toEqual(rows);
  });

  it('but for what is still to be delivered and what comes after it (UT-283)', async () => {
    const id = `whk_${randomUUID()}`;
    await test.db.webhookEndpoint.create({
      data: { tenantId: 'acme', id, url: 'http://x', secret: '' },
    });
    const first = await told();
    const second = await told();
    await planDeliveries(test.db, false, NOW);
    const [, claimed] = await notificationsOfTask(test.db, first.id);
    const set = (status: string, where: object) =>
      test.db.webhookDelivery.updateMany({ where, data: { status } });
    await set('Delivered', {});
    await set('Dead', { notificationId: (await notificationsOfTask(test.db, first.id))[0]!.id });
    await set('Pending', { notificationId: claimed!.id });
    expect(await pruneNotifications(test.db, NOW)).toBe(1);
    expect(await notificationsOfTask(test.db, first.id)).toMatchObject([{ id: claimed!.id }]);
    expect(await notificationsOfTask(test.db, second.id)).toHaveLength(2);
    expect(await test.db.webhookDelivery.count()).toBe(3);
    await set('Delivered', {});
    expect(await pruneNotifications(test.db, NOW)).toBe(3);
    expect(await test.db.webhookDelivery.count()).toBe(0);
  });

  it('whole, however much there is', async () => {
    await test.db.$executeRaw`
      insert into user_task_notifications
        (tenant_id, id, task_id, type, status, revision, data, occurred_at, planned_at)
      select 'acme', 'ntf_' || i, 'task_x', 'UserTaskChanged', 'Available', 1, '{}', '2026-03-01', now()
      from generate_series(1, 2500) i`;
    expect(await pruneNotifications(test.db, NOW)).toBe(2_500);
  });
});
