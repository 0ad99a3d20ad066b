import { projectSnapshot } from '../../activities/user-tasks/project';
import { rebuild } from '../../activities/user-tasks/rebuild';
import { taskWorkflowId } from '../../domain/ids';
import type { OperationRecord } from '../../domain/user-tasks/operation';
import type { TaskSnapshot } from '../../domain/user-tasks/receipt';
import { aDistinctTask } from '../api/seed-task';
import { clerk, colleague, group, manager, person, user } from '../builders/people';
import { pinnedForm, pinning, REVIEW_FORM } from '../builders/resolution';
import { CREATED_AT, later, type TaskBuilder } from '../builders/task';
import { NOTHING_RESOLVED } from '../../domain/user-tasks/resolution';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';

const PROTECTED = { amount: 1_250.5, note: 'z\u0000\ud800', '2': 'b', '1': 'a' };

describe('a task in the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const snapshotOf = ({ record, task }: TaskBuilder): TaskSnapshot => ({
    record,
    workflowId: taskWorkflowId(task.tenantId, task.taskId),
    run: { runId: 'run', lineage: ['before'] },
  });

  /** Everything that a task can hold, with a long history. */
  const aFullTask = (): TaskBuilder => {
    const named = user('max', { displayName: 'Max Mustermann' });
    const nameless = user('nameless', { displayName: null });
    return aDistinctTask(
      {
        summary: 'A summary',
        reference: 'INV-4711',
        tags: ['Urgent', 'ünïcode'],
        taskType: 'invoice',
        requester: user('req', { displayName: 'The requester' }),
        candidateUsers: [
          named,
          nameless,
          user('max', { provider: 'other', displayName: 'Other Max' }),
        ],
        candidateGroups: [group('clerks'), group('group,with;delimiters', { displayName: 'Odd' })],
        excludedUsers: [user('eve', { displayName: 'Eve' })],
        priority: 75,
        dueAt: later(CREATED_AT, 600),
        instructions: 'Look at it.',
        taskData: PROTECTED,
        form: REVIEW_FORM,
        actions: [
          { key: 'approve', label: 'Approve', metadata: { color: 'green' }, schema: null },
          { key: 'reject', label: 'Reject', metadata: null, schema: null },
        ],
        enableTimeoutOutcome: true,
        enableCancellationOutcome: true,
        allowManagerExclusionOverride: true,
      },
      { resolution: { ...NOTHING_RESOLVED, ...pinning() } },
    )
      .claimedBy(clerk)
      .releasedBy(clerk, { reason: 'on leave' })
      .assignedTo(user('eve'), { reason: 'only she knows' })
      .assignedTo(colleague.subject)
      .rescheduled({ priority: 80 })
      .completed(
        { actionKey: 'reject', data: { why: 'wrong' }, receivedHash: 'HASH' },
        person('colleague', { groups: [group('clerks')] }),
      );
  };

  async function stored(taskId: string) {
    return database.db.userTask.findFirstOrThrow({
      where: { id: taskId },
      include: {
        protected: true,
        candidates: { orderBy: [{ source: 'asc' }, { provider: 'asc' }, { participantId: 'asc' }] },
        exclusions: true,
        events: { orderBy: { revision: 'asc' } },
        operations: { orderBy: { createdAt: 'asc' } },
        health: true,
      },
    });
  }

  it('keeps candidates and exclusions as they were given, names and separators included (UT-291, UT-326, UT-004, UT-048)', async () => {
    const task = aFullTask();
    await projectSnapshot(database.db, snapshotOf(task));
    const { candidates, exclusions, requester } = await stored(task.task.taskId);
    const shown = candidates.map((row) => [
      row.tenantId,
      row.provider,
      row.type,
      row.participantId,
      row.displayName,
      row.source,
    ]);
    expect(shown).toEqual([
      ['acme', 'directory', 'group', 'clerks', 'clerks', 'DirectGroup'],
      ['acme', 'directory', 'group', 'group,with;delimiters', 'Odd', 'DirectGroup'],
      ['acme', 'directory', 'user', 'max', 'Max Mustermann', 'DirectUser'],
      ['acme', 'directory', 'user', 'nameless', null, 'DirectUser'],
      ['acme', 'other', 'user', 'max', 'Other Max', 'DirectUser'],
    ]);
    expect(exclusions).toMatchObject([{ participantId: 'eve', displayName: 'Eve' }]);
    expect(requester).toEqual(user('req', { displayName: 'The requester' }));
  });

  it('keeps the whole history with actors, reasons and metadata, in order (UT-291, UT-326, UT-152)', async () => {
    const task = aFullTask();
    await projectSnapshot(database.db, snapshotOf(task));
    const { events } = await stored(task.task.taskId);
    expect(
      events.map((event) => ({
        revision: event.revision,
        kind: event.eventType,
        occurredAt: event.occurredAt.toISOString(),
        actor: event.actor,
        operationId: event.operationId,
        reason: event.reason,
        metadata: event.metadata,
      })),
    ).toEqual(
      task.record.events.map(({ assignee: _assignee, status: _status, ...event }) => event),
    );
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'Created',
      'Claimed',
      'Released',
      'Assigned',
      'Reassigned',
      'ScheduleUpdated',
      'CompletionRequested',
      'Completed',
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('keeps every operation with status, action key and error code (UT-291, UT-326, UT-135)', async () => {
    const task = aFullTask();
    const refused: OperationRecord = {
      operationId: 'refused',
      kind: 'Cancel',
      subject: manager.subject,
      requestHash: 'A'.repeat(64),
      receivedHash: 'B'.repeat(64),
      expectedRevision: 1,
      status: 'Rejected',
      errorCode: 'revision-conflict',
      actionKey: null,
      revision: 2,
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
    };
    const record = { ...task.record, operations: [refused, ...task.record.operations] };
    await projectSnapshot(database.db, { ...snapshotOf(task), record });
    const { operations } = await stored(task.task.taskId);
    const told = operations.map((operation) => ({
      operationId: operation.operationId,
      kind: operation.kind,
      subject: operation.subject,
      requestHash: operation.requestHash,
      receivedHash: operation.receivedHash,
      expectedRevision: operation.expectedRevision,
      status: operation.status,
      errorCode: operation.errorCode,
      actionKey: operation.actionKey,
      revision: operation.revision,
      createdAt: operation.createdAt.toISOString(),
      updatedAt: operation.updatedAt.toISOString(),
    }));
    expect(told).toEqual(record.operations);
    expect(told.at(-1)).toMatchObject({
      kind: 'Complete',
      actionKey: 'reject',
      status: 'Completed',
    });
  });

  it('keeps protected content to the byte, apart from the row that lists read (UT-291, UT-038, UT-049)', async () => {
    const task = aFullTask();
    await projectSnapshot(database.db, snapshotOf(task));
    const [content] = await database.db.$queryRawUnsafe<Record<string, string>[]>(
      `select instructions, task_data::text as data, form::text, form_reference::text as reference,
         actions::text, response::text from user_task_protected where task_id = $1`,
      task.task.taskId,
    );
    expect(content).toEqual({
      instructions: 'Look at it.',
      data: JSON.stringify(PROTECTED),
      form: JSON.stringify(pinnedForm()),
      reference: JSON.stringify(REVIEW_FORM),
      actions: JSON.stringify(task.task.inputs.actions),
      response: JSON.stringify({ why: 'wrong' }),
    });
  });

  it('moves an accepted operation to its end, and no finished one back (UT-326, UT-136)', async () => {
    const accepted = aDistinctTask().claimedBy(clerk).completing({ operationId: 'OP1' });
    const { taskId } = accepted.task;
    await projectSnapshot(database.db, snapshotOf(accepted));
    const status = async () =>
      (await stored(taskId)).operations.map((operation) => [
        operation.operationId === 'OP1' ? 'OP1' : 'claim',
        operation.status,
        operation.revision,
      ]);
    expect(await status()).toContainEqual(['OP1', 'Accepted', 3]);
    const ended = accepted.finalised();
    const follow = (task: TaskBuilder) =>
      rebuild(database.db, task.task, () => Promise.resolve(snapshotOf(task)));
    expect(await follow(ended)).toBe('followed');
    expect(await status()).toContainEqual(['OP1', 'Completed', 4]);
    expect(await follow(accepted)).toBe('followed');
    expect(await status()).toContainEqual(['OP1', 'Completed', 4]);
    expect(await stored(taskId)).toMatchObject({ status: 'Completed', revision: 4 });
    expect((await stored(taskId)).events).toHaveLength(4);
  });

  it('is the same again once its rows were lost and made anew, event ids included (UT-381, UT-291)', async () => {
    const task = aFullTask();
    await projectSnapshot(database.db, snapshotOf(task));
    const before = await stored(task.task.taskId);
    await database.db.$transaction(async (transaction) => {
      await transaction.$executeRawUnsafe(`set local countersign.purge = 'on'`);
      await transaction.userTask.deleteMany({ where: { id: task.task.taskId } });
    });
    expect(await rebuild(database.db, task.task, () => Promise.resolve(snapshotOf(task)))).toBe(
      'created',
    );
    expect(await stored(task.task.taskId)).toEqual(before);
  });
});
