import { project } from '../../activities/user-tasks/project';
import { NOTHING_RESOLVED } from '../../domain/user-tasks/resolution';
import { receiptOf, type Receipt } from '../../domain/user-tasks/receipt';
import type { TransitionEvent } from '../../domain/user-tasks/task';
import { aDistinctTask } from '../api/seed-task';
import { assign } from '../builders/commands';
import { clerk, manager, user } from '../builders/people';
import type { TaskBuilder } from '../builders/task';
import { REVIEW_FORM } from '../builders/resolution';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { tell, ToldTask } from '../notifications/telling-tasks';

const TABLES = [
  'user_tasks',
  'user_task_protected',
  'user_task_candidates',
  'user_task_exclusions',
  'user_task_participations',
  'user_task_health_issues',
  'user_task_events',
  'user_task_operations',
  'user_task_notifications',
] as const;

describe('a projection', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.$executeRawUnsafe(`
      create function break_in_the_middle() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full'; end $$`);
  });
  afterAll(() => database.drop());

  /** Everything that is stored of a task. */
  async function everything(taskId: string): Promise<Readonly<Record<string, unknown>>> {
    const stored: Record<string, unknown> = {};
    for (const table of TABLES) {
      const id = table === 'user_tasks' ? 'id' : 'task_id';
      stored[table] = await database.db.$queryRawUnsafe(
        `select to_jsonb(t) as row from ${table} t where ${id} = $1 order by to_jsonb(t)::text`,
        taskId,
      );
    }
    return stored;
  }

  /** Lets every write to the table fail, as long as the work goes on. */
  async function whileBroken<T>(table: string, work: () => Promise<T>): Promise<T> {
    const trigger = `create trigger broken before insert or update or delete on ${table} for each row execute function break_in_the_middle()`;
    await database.db.$executeRawUnsafe(trigger);
    try {
      return await work();
    } finally {
      await database.db.$executeRawUnsafe(`drop trigger broken on ${table}`);
    }
  }

  const rich = {
    candidateUsers: [clerk.subject],
    excludedUsers: [user('eve')],
    // Excluded from the start, which is an issue that ends with the assignment.
    assignee: user('eve'),
  };

  /** An assignment with its operation: it touches every table but that of protected content. */
  function assigned(before: TaskBuilder): Receipt {
    const command = assign(manager, { expectedRevision: before.revision });
    const after = before.after(before.whenSent(command));
    const events = after.events.slice(before.events.length) as TransitionEvent[];
    const operation = after.record.operations.at(-1) ?? null;
    return receiptOf(after.record, events, operation, { runId: 'run', lineage: [] });
  }

  async function followedTask(): Promise<ToldTask> {
    const task = await tell(database.db, rich);
    await database.db.userTask.updateMany({ where: { id: task.id }, data: { runId: 'run' } });
    return task;
  }

  it.each(
    TABLES.filter((table) => !['user_task_protected', 'user_task_exclusions'].includes(table)),
  )(
    'leaves nothing behind when writing %s fails, and is whole when it is repeated (UT-289, UT-153)',
    async (table) => {
      const task = await followedTask();
      const receipt = assigned(task.builder);
      const before = await everything(task.id);
      await expect(whileBroken(table, () => project(database.db, receipt))).rejects.toThrow(
        'the disk is full',
      );
      expect(await everything(task.id)).toEqual(before);
      expect(await project(database.db, receipt)).toBe('applied');
      const after = await everything(task.id);
      for (const written of TABLES) {
        const same = ['user_task_protected', 'user_task_exclusions'].includes(written);
        expect([
          written,
          JSON.stringify(after[written]) === JSON.stringify(before[written]),
        ]).toEqual([written, same]);
      }
    },
  );

  /** A start that touches every table but that of operations. */
  const aStart = (): TaskBuilder =>
    aDistinctTask(
      { ...rich, assignee: clerk.subject, form: REVIEW_FORM },
      { resolution: { ...NOTHING_RESOLVED, form: { failure: 'form-resolution-failed' } } },
    );

  it.each(TABLES.filter((table) => table !== 'user_task_operations'))(
    'of a start shows no part of a task when writing %s fails (UT-289, UT-024)',
    async (table) => {
      const task = new ToldTask(database.db, aStart());
      await expect(whileBroken(table, () => task.create())).rejects.toThrow('the disk is full');
      const nothing = Object.fromEntries(TABLES.map((each) => [each, []]));
      expect(await everything(task.id)).toEqual(nothing);
      await task.create();
      const stored = await everything(task.id);
      const written = Object.values(stored).filter((rows) => (rows as unknown[]).length > 0);
      expect(written).toHaveLength(TABLES.length - 1);
    },
  );

  it('older than the row is reported not applied, and changes no stored byte (UT-290, UT-316)', async () => {
    const task = await followedTask();
    const first = assigned(task.builder);
    await project(database.db, first);
    const claimed = task.builder.after(task.builder.whenSent(assign(manager)));
    const released = claimed.releasedBy(clerk);
    const second = receiptOf(
      released.record,
      released.events.slice(2) as TransitionEvent[],
      null,
      first.run,
    );
    expect(await project(database.db, second)).toBe('applied');
    const before = await everything(task.id);
    expect(await project(database.db, first)).toBe('not-applied');
    expect(await project(database.db, second)).toBe('not-applied');
    expect(await everything(task.id)).toEqual(before);
  });

  it('that arrives after the one that follows it adds what is its own and takes nothing back (UT-290, UT-153)', async () => {
    const task = await followedTask();
    const receipt = assigned(task.builder);
    const operationId = receipt.operation?.operationId ?? '';
    const held = task.builder.assignedTo(clerk.subject, { operationId });
    const released = held.releasedBy(clerk);
    const events = released.events.slice(2) as TransitionEvent[];
    await project(database.db, receiptOf(released.record, events, null, receipt.run));
    expect(await project(database.db, receipt)).toBe('not-applied');
    const where = { taskId: task.id };
    const row = await database.db.userTask.findFirstOrThrow({ where: { id: task.id } });
    expect(row).toMatchObject({ status: 'Available', revision: 3, assigneeKey: null });
    const timeline = await database.db.userTaskEvent.findMany({
      where,
      orderBy: { revision: 'asc' },
    });
    expect(timeline.map(({ eventType }) => eventType)).toEqual(['Created', 'Assigned', 'Released']);
    expect(await database.db.userTaskOperation.findMany({ where })).toMatchObject([
      { operationId, kind: 'Assign', status: 'Completed', revision: 2 },
    ]);
    expect(
      await database.db.userTaskCandidate.findMany({ where, orderBy: { source: 'asc' } }),
    ).toMatchObject([
      { source: 'DirectGroup', claimable: true },
      { source: 'DirectUser', claimable: true },
    ]);
    const roles = await database.db.userTaskParticipation.findMany({
      where,
      orderBy: { role: 'asc' },
    });
    expect(roles.map(({ role }) => role)).toEqual(['acted', 'acted', 'held']);
  });

  it('of a task that has no row writes nothing and says so (UT-290, UT-318)', async () => {
    const task = new ToldTask(database.db, aDistinctTask(rich, { resolution: NOTHING_RESOLVED }));
    expect(await project(database.db, assigned(task.builder))).toBe('absent');
    const nothing = Object.fromEntries(TABLES.map((each) => [each, []]));
    expect(await everything(task.id)).toEqual(nothing);
  });

  it('under another tenant changes nothing, though the ids be the same (UT-318, UT-382)', async () => {
    const task = await followedTask();
    const before = await everything(task.id);
    const foreign = { ...assigned(task.builder), tenantId: 'globex' };
    expect(await project(database.db, foreign)).toBe('absent');
    expect(await everything(task.id)).toEqual(before);
  });
});
