import { randomUUID } from 'node:crypto';
import { appendAuditEvent, type AuditEvent } from '../../activities/user-tasks/audit-event';
import { clearIssue, raiseIssue } from '../../activities/user-tasks/outside-issues';
import { taskIdOf } from '../../domain/ids';
import { clerk, manager } from '../builders/people';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { tell, type ToldTask } from '../notifications/telling-tasks';

describe('the timeline in the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const timeline = async (taskId: string) => {
    const events = await database.db.userTaskEvent.findMany({
      where: { taskId },
      orderBy: [{ epoch: 'asc' }, { revision: 'asc' }, { ordinal: 'asc' }],
    });
    return events.map(
      ({ eventType, revision, ordinal }) => [eventType, revision, ordinal] as const,
    );
  };

  const revealed = (task: ToldTask, more: Partial<AuditEvent> = {}): AuditEvent => ({
    tenantId: 'acme',
    taskId: task.id,
    kind: 'FieldRevealed',
    actor: manager.subject,
    operationId: null,
    metadata: { fieldKey: 'iban' },
    ...more,
  });

  describe('only grows', () => {
    it.each([
      ['a change', `update user_task_events set reason = 'because' where task_id = $1`],
      [
        'a change of its time',
        `update user_task_events set occurred_at = now() where task_id = $1`,
      ],
      ['a deletion', `delete from user_task_events where task_id = $1`],
      ['the deletion of the task with it', `delete from user_tasks where id = $1`],
    ])('and refuses %s (UT-152, UT-284, UT-285)', async (_what, statement) => {
      const task = await tell(database.db);
      await expect(database.db.$executeRawUnsafe(statement, task.id)).rejects.toThrow(
        'append-only',
      );
      expect(await timeline(task.id)).toEqual([['Created', 1, 0]]);
    });

    it.each(['user_task_events', 'user_tasks cascade'])(
      'and refuses to truncate %s (UT-152, UT-284)',
      async (tables) => {
        const task = await tell(database.db);
        await expect(database.db.$executeRawUnsafe(`truncate ${tables}`)).rejects.toThrow(
          'append-only',
        );
        expect(await timeline(task.id)).toHaveLength(1);
      },
    );

    it('but lets the purge through, which says that it is the purge, in its own transaction alone (UT-284)', async () => {
      const [task, other] = [await tell(database.db), await tell(database.db)];
      await database.db.$transaction(async (transaction) => {
        await transaction.$executeRawUnsafe(`set local countersign.purge = 'on'`);
        await transaction.userTask.deleteMany({ where: { id: task.id } });
      });
      expect(await timeline(task.id)).toEqual([]);
      for (let connection = 0; connection < 5; connection += 1) {
        const left = database.db.userTask.deleteMany({ where: { id: other.id } });
        await expect(left).rejects.toThrow('append-only');
      }
    });

    it('and lets not even the purge change what happened (UT-152, UT-284)', async () => {
      const task = await tell(database.db);
      const changed = database.db.$transaction(async (transaction) => {
        await transaction.$executeRawUnsafe(`set local countersign.purge = 'on'`);
        await transaction.userTaskEvent.updateMany({
          where: { taskId: task.id },
          data: { reason: 'x' },
        });
      });
      await expect(changed).rejects.toThrow('append-only');
    });
  });

  describe('takes in what no workflow decides', () => {
    it('at the revision of the task and after its events, without touching either (UT-317, UT-404, UT-138)', async () => {
      const task = await tell(database.db);
      await task.step((now) => now.claimedBy(clerk));
      const before = await database.db.userTask.findFirst({ where: { id: task.id } });
      await appendAuditEvent(database.db, revealed(task));
      await appendAuditEvent(database.db, revealed(task, { metadata: { fieldKey: 'pin' } }));
      expect(await database.db.userTask.findFirst({ where: { id: task.id } })).toEqual(before);
      await task.step((now) => now.releasedBy(clerk));
      expect(await timeline(task.id)).toEqual([
        ['Created', 1, 0],
        ['Claimed', 2, 0],
        ['FieldRevealed', 2, 1],
        ['FieldRevealed', 2, 2],
        ['Released', 3, 0],
      ]);
    });

    it('from many who append at one moment, each in a place of its own (UT-404, UT-317)', async () => {
      const task = await tell(database.db);
      await Promise.all(
        Array.from({ length: 12 }, (_none, index) =>
          index % 3 === 0
            ? raiseIssue(database.db, { tenantId: 'acme', taskId: task.id }, 'stale-transition')
            : appendAuditEvent(database.db, revealed(task, { operationId: `OP${index}` })),
        ),
      );
      const found = await timeline(task.id);
      expect(found.map(([, revision, ordinal]) => [revision, ordinal])).toEqual(
        found.map((_event, index) => [1, index]),
      );
      expect(found.filter(([kind]) => kind === 'FieldRevealed')).toHaveLength(8);
      expect(found.filter(([kind]) => kind === 'HealthChanged')).toHaveLength(1);
    });

    it('while the task moves on, and loses neither (UT-404, UT-317)', async () => {
      const task = await tell(database.db);
      const appended = Array.from({ length: 6 }, () =>
        appendAuditEvent(database.db, revealed(task)),
      );
      await task.step((now) => now.claimedBy(clerk));
      await task.step((now) => now.releasedBy(clerk));
      await Promise.all(appended);
      const found = await timeline(task.id);
      expect(found.filter(([kind]) => kind === 'FieldRevealed')).toHaveLength(6);
      const transitions = found.filter(([, , ordinal]) => ordinal === 0);
      expect(transitions.map(([kind]) => kind)).toEqual(['Created', 'Claimed', 'Released']);
      expect(await database.db.userTask.findFirst({ where: { id: task.id } })).toMatchObject({
        revision: 3,
      });
    });

    it('of an unknown task, or of another tenant, as nothing (UT-162, UT-317, UT-318)', async () => {
      const task = await tell(database.db);
      const everything = () => database.db.userTaskEvent.count();
      const before = await everything();
      await appendAuditEvent(database.db, revealed(task, { taskId: taskIdOf(randomUUID()) }));
      await appendAuditEvent(database.db, revealed(task, { tenantId: 'globex' }));
      expect(await everything()).toBe(before);
      const elsewhere = { tenantId: 'globex', taskId: task.id };
      expect(await raiseIssue(database.db, elsewhere, 'ambiguous-record')).toBe(false);
      expect(await clearIssue(database.db, elsewhere, 'ambiguous-record')).toBe(false);
      expect(await everything()).toBe(before);
    });

    it('so that one that fails costs no revision (UT-317, UT-404)', async () => {
      const task = await tell(database.db);
      const tooLate = revealed(task, { operationId: 'half a pair \ud800' });
      const unstorable = revealed(task, { kind: null as never, operationId: tooLate.operationId });
      await expect(appendAuditEvent(database.db, unstorable)).rejects.toThrow();
      await task.step((now) => now.claimedBy(clerk));
      expect(await timeline(task.id)).toEqual([
        ['Created', 1, 0],
        ['Claimed', 2, 0],
      ]);
    });
  });
});
