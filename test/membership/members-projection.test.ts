import { randomUUID } from 'node:crypto';
import { project, projectSnapshot } from '../../activities/user-tasks/project';
import { resolve } from '../../activities/user-tasks/resolve';
import { taskWorkflowId } from '../../domain/ids';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { receiptOf, type Receipt } from '../../domain/user-tasks/receipt';
import type { TransitionEvent } from '../../domain/user-tasks/task';
import { aDistinctTask } from '../api/seed-task';
import { clerk, CLERKS, group, OTHER_TENANT, TENANT, user } from '../builders/people';
import type { TaskBuilder } from '../builders/task';
import { enumerating, notEnumerating } from '../builders/resolution';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import type { Directory } from '../../people/directory';
import { tell, type ToldTask } from '../notifications/telling-tasks';

const PAYERS = group('payers');

describe('the members of a snapshot in the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Stores what a directory with these members answers, as the task's activity does. */
  async function enumerate(
    taskId: string,
    snapshotId: string,
    members: readonly ParticipantReference[],
  ) {
    const directory: Directory = {
      isReal: true,
      members: () => Promise.resolve(members),
      participants: () => {
        throw new Error('not asked');
      },
    };
    const deps = { database: database.db, forms: () => null, directory };
    const needs = { form: null, groups: [CLERKS], excludedUsers: [], dueAt: null };
    return resolve(deps, { tenantId: TENANT, taskId: taskId as never, snapshotId, needs });
  }

  const stored = async (taskId: string) => {
    const rows = await database.db.userTaskCandidate.findMany({
      where: { taskId, source: 'SnapshotMember' },
      orderBy: { participantId: 'asc' },
    });
    return rows.map(({ participantId, claimable }) => [participantId, claimable]);
  };

  const summary = async (id: string) => {
    const { candidateUserCount, candidateGroupCount } = await database.db.userTask.findFirstOrThrow(
      { where: { id } },
    );
    return [candidateUserCount, candidateGroupCount];
  };

  const snapshotTask = (): Promise<ToldTask> =>
    tell(
      database.db,
      { membershipResolutionMode: 'Snapshot', candidateGroups: [CLERKS, PAYERS] },
      {
        resolution: {
          form: null,
          dueAt: null,
          membership: null,
          ...notEnumerating([CLERKS, PAYERS]),
        },
      },
    );

  /** The receipt of a retry that found this list, and the task after it. */
  function retried(
    before: TaskBuilder,
    snapshotId: string,
    failed: readonly ParticipantReference[],
  ) {
    const found = { snapshotId, memberCount: 2, eligibleCount: 2 };
    const resolution = failed.length === 0 ? enumerating(2, found) : notEnumerating(failed, found);
    const after = before.retrying().resolved(resolution);
    const events = after.events.slice(before.events.length) as TransitionEvent[];
    const run = { runId: 'run', lineage: [] };
    return { after, receipt: receiptOf(after.record, events, null, run) };
  }

  async function follow(task: ToldTask, ...receipts: readonly Receipt[]): Promise<void> {
    // All of one run, whichever the creation was told under.
    await database.db.userTask.updateMany({ where: { id: task.id }, data: { runId: 'run' } });
    for (const receipt of receipts) await project(database.db, receipt);
  }

  it('keeps the list of the later retry, in whatever order two retries are projected (UT-290, UT-316)', async () => {
    const task = await snapshotTask();
    await enumerate(task.id, 'first', [user('ann'), user('bob')]);
    await enumerate(task.id, 'second', [user('bob'), user('cid')]);
    const first = retried(task.builder, 'first', [PAYERS]);
    const second = retried(first.after, 'second', []);
    await follow(task, second.receipt);
    expect(await summary(task.id)).toEqual([2, 2]);
    await follow(task, first.receipt, second.receipt, first.receipt);
    expect(await stored(task.id)).toEqual([
      ['bob', true],
      ['cid', true],
    ]);
    expect(await summary(task.id)).toEqual([2, 2]);
  });

  it('takes over members that arrive after a later transition, as claimable as the task is now (UT-290, UT-390)', async () => {
    const task = await snapshotTask();
    await enumerate(task.id, 'found', [user('ann'), user('bob')]);
    const { after, receipt } = retried(task.builder, 'found', []);
    const held = after.assignedTo(user('max'));
    const events = held.events.slice(after.events.length) as TransitionEvent[];
    const later = receiptOf(held.record, events, null, receipt.run);
    await follow(task, later, receipt);
    expect(await stored(task.id)).toEqual([
      ['ann', false],
      ['bob', false],
    ]);
    expect(await summary(task.id)).toEqual([2, 2]);
    expect(await database.db.userTask.findFirst({ where: { id: task.id } })).toMatchObject({
      status: 'Assigned',
      revision: 3,
    });
  });

  it('are stored once for an identity, whatever names the groups give it, and of users of the tenant alone (UT-033, UT-048, UT-066)', async () => {
    const task = aDistinctTask({}, {});
    const found = await enumerate(task.task.taskId, 'odd', [
      user('ann', { displayName: 'Ann' }),
      user('ann', { displayName: 'Another Ann' }),
      user('ann', { provider: 'other' }),
      user('eve', { tenantId: OTHER_TENANT }),
      group('nested'),
    ]);
    expect(found.membership).toMatchObject({ snapshot: { memberCount: 2, eligibleCount: 2 } });
    const rows = await database.db.userTaskSnapshotMember.findMany({
      where: { taskId: task.task.taskId },
      orderBy: { provider: 'asc' },
    });
    expect(
      rows.map((row) => [row.tenantId, row.provider, row.participantId, row.displayName]),
    ).toEqual([
      [TENANT, 'directory', 'ann', 'Ann'],
      [TENANT, 'other', 'ann', 'ann'],
    ]);
  });

  it('are taken over when the rows of the task are made again (UT-044, UT-381)', async () => {
    const builder = aDistinctTask(
      { membershipResolutionMode: 'Snapshot', candidateUsers: [user('ann'), user('max')] },
      {
        resolution: {
          form: null,
          dueAt: null,
          membership: null,
          ...enumerating(2, { snapshotId: 'kept' }),
        },
      },
    );
    const { taskId, tenantId } = builder.task;
    await enumerate(taskId, 'kept', [user('ann'), user('bob')]);
    await enumerate(taskId, 'of no retry that came to an end', [user('zoe')]);
    const workflowId = taskWorkflowId(tenantId, taskId);
    const write = () =>
      projectSnapshot(database.db, {
        record: builder.record,
        workflowId,
        run: { runId: randomUUID(), lineage: [] },
      });
    expect(await write()).toBe(taskId);
    const rows = await database.db.userTaskCandidate.findMany({
      where: { taskId, claimable: true },
    });
    expect(new Set(rows.map(({ participantId }) => participantId))).toEqual(
      new Set(['ann', 'bob', 'max']),
    );
    expect(await summary(taskId)).toEqual([3, 1]);
    expect(await write()).toBe(taskId);
    expect(await summary(taskId)).toEqual([3, 1]);
  });

  it('are no candidates while the task is held, and again once it is released (UT-069, UT-101)', async () => {
    const member = { ...clerk, groups: [] };
    const task = await tell(
      database.db,
      { membershipResolutionMode: 'Snapshot' },
      {
        resolution: {
          form: null,
          dueAt: null,
          membership: null,
          ...enumerating(1, { snapshotId: 'one' }),
        },
      },
    );
    // The creation was told before its members were there: tell it as a rebuild would.
    await enumerate(task.id, 'one', [user('clerk')]);
    const { record } = task.builder;
    await project(database.db, {
      ...receiptOf(record, [], null, { runId: await runOf(task.id), lineage: [] }),
      snapshotId: 'one',
    });
    expect(await stored(task.id)).toEqual([['clerk', true]]);
    await task.step((before) => before.claimedBy(member, { entitledBy: 'SnapshotMember' }));
    expect(await stored(task.id)).toEqual([['clerk', false]]);
    await task.step((before) => before.releasedBy(member));
    expect(await stored(task.id)).toEqual([['clerk', true]]);
  });

  async function runOf(id: string): Promise<string> {
    return (await database.db.userTask.findFirstOrThrow({ where: { id } })).runId;
  }
});
