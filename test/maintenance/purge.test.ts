import { CLERKS, group, user } from '../builders/people';
import { clerk, eventsOf, operationOf, rowOf, send } from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { createMaintenanceStack, type MaintenanceStack } from './maintenance-stack';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS], taskData: { secret: 'canary' } };
const longAgo = new Date(Date.now() - 60 * 24 * 3600 * 1000);

describe('retention', () => {
  let maintenance: MaintenanceStack;
  beforeAll(async () => {
    maintenance = await createMaintenanceStack({
      directory: {
        isReal: true,
        members: () => Promise.resolve([user('member')]),
        participants: async function* () {},
      },
    });
  }, 120_000);
  afterAll(() => maintenance.close());

  const completing = { kind: 'complete', expectedRevision: 2, operationId: 'end' } as const;

  async function claimed(more: object = {}): Promise<RaisedTask> {
    const task = await maintenance.stack.raise({ ...input, ...more });
    await send(maintenance.stack, task, clerk, { kind: 'claim', operationId: 'claim' });
    return task;
  }

  /** A task that was completed sixty days ago. */
  async function old(more: object = {}): Promise<RaisedTask> {
    const task = await claimed(more);
    await send(maintenance.stack, task, clerk, completing);
    await task.owner.result();
    await age(task);
    return task;
  }

  const age = ({ taskId }: RaisedTask) =>
    maintenance.stack.database.userTask.updateMany({
      where: { id: taskId },
      data: { completedAt: longAgo },
    });

  /** Rows of every table that name the task. */
  async function traces({ taskId }: RaisedTask): Promise<Readonly<Record<string, number>>> {
    const { database } = maintenance.stack;
    const columns = await database.$queryRaw<{ table: string }[]>`
      select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'task_id' order by table_name`;
    const found: Record<string, number> = {
      user_tasks: await database.userTask.count({ where: { id: taskId } }),
    };
    for (const { table } of columns) {
      const [row] = await database.$queryRawUnsafe<{ n: number }[]>(
        `select count(*)::integer as n from "${table}" where task_id = $1`,
        taskId,
      );
      if (row!.n > 0) found[table] = row!.n;
    }
    return found;
  }

  it('keeps everything for ever unless purge is switched on (UT-281)', async () => {
    const task = await old();
    const [row, events] = [
      await rowOf(maintenance.stack, task),
      await eventsOf(maintenance.stack, task),
    ];
    expect(await maintenance.purge({ retentionDays: null })).toEqual({ deleted: 0, skipped: 0 });
    expect(await rowOf(maintenance.stack, task)).toEqual(row);
    expect(await eventsOf(maintenance.stack, task)).toEqual(events);
    await maintenance.purge();
  });

  it('deletes closed tasks past their age with all that belongs to them, page by page, and nothing else (UT-281, UT-282)', async () => {
    const { stack } = maintenance;
    const [open, young] = [await claimed(), await claimed()];
    await send(stack, young, clerk, completing);
    const theirs = { ...input, candidateGroups: [group('clerks', { tenantId: 'globex' })] };
    const foreign = await stack.raise(theirs, { tenantId: 'globex' });
    const olds = [
      await old(),
      await old(),
      await old({ candidateUsers: [user('a')], excludedUsers: [user('b')] }),
    ];
    expect(await maintenance.purge()).toEqual({ deleted: 3, skipped: 0 });
    for (const task of olds) {
      // What the outbox keeps is safe and has a retention of its own.
      const { user_task_notifications: _outbox, ...left } = await traces(task);
      expect(left).toEqual({ user_tasks: 0, purged_user_tasks: 1 });
    }
    for (const task of [open, young, foreign])
      expect(await traces(task)).toMatchObject({ user_tasks: 1, user_task_protected: 1 });
    expect(await operationOf(stack, open, 'claim')).not.toBeNull();
    expect(await eventsOf(stack, open)).toHaveLength(2);
    expect(await maintenance.purge()).toEqual({ deleted: 0, skipped: 0 });
    await open.owner.cancel();
    await foreign.owner.cancel();
  }, 60_000);

  it('skips a task with a pending operation, a recovery issue or an owner that waits, and takes it later (UT-282)', async () => {
    const { stack } = maintenance;
    const { database } = stack;
    const [pending, flagged, waiting] = [await old(), await old(), await claimed()];
    await database.userTaskOperation.updateMany({
      where: { taskId: pending.taskId, operationId: 'end' },
      data: { status: 'Pending' },
    });
    const issue = {
      code: 'ambiguous-record',
      severity: 'Advisory',
      message: '',
      since: longAgo,
      origin: 'outside',
    };
    await database.userTaskHealthIssue.create({
      data: { tenantId: 'acme', taskId: flagged.taskId, ...issue },
    });
    // The row says closed, the workflow does not: its owner waits still.
    await database.userTask.updateMany({
      where: { id: waiting.taskId },
      data: { status: 'Cancelled', completedAt: longAgo },
    });
    expect(await maintenance.purge()).toEqual({ deleted: 0, skipped: 3 });
    await database.userTaskOperation.updateMany({
      where: { taskId: pending.taskId },
      data: { status: 'Completed' },
    });
    await database.userTaskHealthIssue.deleteMany({ where: { taskId: flagged.taskId } });
    await waiting.owner.cancel();
    await stack.client.workflow
      .getHandle(waiting.workflowId)
      .result()
      .catch(() => undefined);
    await age(waiting);
    expect(await maintenance.purge()).toEqual({ deleted: 3, skipped: 0 });
  }, 60_000);

  it('lets nothing but the purge delete an event (UT-284, UT-152)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    const where = { taskId: task.taskId };
    await expect(stack.database.userTaskEvent.deleteMany({ where })).rejects.toThrow('append-only');
    await expect(
      stack.database.userTaskEvent.updateMany({ where, data: { reason: 'x' } }),
    ).rejects.toThrow('append-only');
    await expect(
      stack.database.userTask.deleteMany({ where: { id: task.taskId } }),
    ).rejects.toThrow('append-only');
    await expect(stack.database.$executeRaw`truncate user_task_events`).rejects.toThrow(
      'append-only',
    );
    await expect(
      stack.database.$transaction([
        stack.database.$executeRaw`set local countersign.purge = 'on'`,
        stack.database.userTaskEvent.updateMany({ where, data: { reason: 'x' } }),
      ]),
    ).rejects.toThrow('append-only');
    expect(await eventsOf(stack, task)).toHaveLength(2);
    await task.owner.cancel();
  });

  it('never brings back what was purged, while its workflow can still be read (UT-414)', async () => {
    const { stack } = maintenance;
    const task = await old();
    const handle = stack.client.workflow.getHandle(task.workflowId);
    expect(await maintenance.purge()).toMatchObject({ deleted: 1 });
    expect(await handle.query('snapshot')).toMatchObject({ workflowId: task.workflowId });
    await maintenance.reconcile();
    expect(await stack.database.userTask.count({ where: { id: task.taskId } })).toBe(0);
  });

  it('lets snapshot members go that belong to no task, and no others (UT-283)', async () => {
    const { stack } = maintenance;
    const snapshot = {
      candidateGroups: [group('team')],
      membershipResolutionMode: 'Snapshot' as const,
    };
    const kept = await stack.raise({ title: 'kept', ...snapshot });
    const given = await stack.raise({ title: 'given up', ...snapshot });
    await given.owner.cancel();
    await within(15_000, async () => (await rowOf(stack, given)).status === 'Cancelled');
    await maintenance.loseRows(given);
    const members = () =>
      stack.database.userTaskSnapshotMember.findMany({ select: { taskId: true } });
    expect(await members()).toHaveLength(2);
    const events = await eventsOf(stack, kept);
    await maintenance.purge({ retentionDays: null });
    expect(await members()).toEqual([{ taskId: kept.taskId }]);
    expect(await eventsOf(stack, kept)).toEqual(events);
    await kept.owner.cancel();
  });

  it('lets notifications go after a short retention, and leaves the task and its events (UT-283)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await stack.database.userTaskNotification.updateMany({
      data: { plannedAt: longAgo, occurredAt: longAgo },
    });
    await maintenance.purge({ retentionDays: null });
    expect(await stack.database.userTaskNotification.count()).toBe(0);
    expect(await eventsOf(stack, task)).toHaveLength(2);
    await task.owner.cancel();
  });
});
