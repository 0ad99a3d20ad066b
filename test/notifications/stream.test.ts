import { Client } from 'pg';
import type { Person } from '../../domain/user-tasks/actor';
import {
  clerk,
  colleague,
  CLERKS,
  manager,
  OTHER_TENANT,
  outsider,
  person,
  user,
} from '../builders/people';
import { tokenFor } from '../api/start-api';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { within } from '../harness/within';
import {
  createIssuer,
  openStream,
  startProcess,
  type ApiProcess,
  type Issuer,
  type StreamClient,
} from './api-process';
import { tell } from './telling-tasks';

const CANARY = 'canary-77aa';

/** Nothing but a call or a new connection can make these streams look. */
const NEVER_POLL = { pollMs: 600_000 };

describe('the live stream', () => {
  let test: TestDatabase;
  let issuer: Issuer;
  let one: ApiProcess;
  let other: ApiProcess;
  const open: StreamClient[] = [];

  beforeAll(async () => {
    [test, issuer] = await Promise.all([createTestDatabase(), createIssuer()]);
    one = await startProcess(test.url, issuer, NEVER_POLL);
    other = await startProcess(test.url, issuer, NEVER_POLL);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await Promise.all([test.drop(), issuer.remove()]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((stream) => stream.close()));
  });

  const listen = async (
    by: Person,
    { at = one, after = null as string | null } = {},
  ): Promise<StreamClient> => {
    const stream = await openStream(at, await tokenFor(issuer, by), after);
    open.push(stream);
    return stream;
  };

  it('tells kind, task, revision and time of every change, in every process (UT-273, UT-411)', async () => {
    const streams = [await listen(clerk), await listen(clerk, { at: other })];
    const task = await tell(test.db);
    await task.step((now) => now.claimedBy(clerk));
    await task.step((now) => now.releasedBy(clerk));
    await task.step((now) => now.assignedTo(clerk.subject));
    await task.step((now) => now.completed());
    for (const stream of streams) {
      const told = await stream.messages(6);
      expect(told).toEqual(
        [
          ['task.created', 1],
          ['task.claimed', 2],
          ['task.released', 3],
          ['task.assigned', 4],
          ['task.updated', 5],
          ['task.completed', 6],
        ].map(([kind, revision]) => ({
          kind,
          taskId: task.id,
          revision,
          occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        })),
      );
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      expect(stream.headers.get('cache-control')).toContain('no-store');
    }
  });

  it('tells only who may see the task at that moment (UT-273)', async () => {
    const excluded = person('excluded', { groups: [CLERKS] });
    const stranger: Person = {
      ...manager,
      subject: { ...manager.subject, tenantId: OTHER_TENANT },
    };
    const inputs = { excludedUsers: [excluded.subject] };
    const streams = await Promise.all(
      [clerk, colleague, manager, excluded, outsider, stranger].map((by) => listen(by)),
    );
    const [seesClerk, seesColleague, seesManager, ...seeNothing] = streams;
    const task = await tell(test.db, inputs);
    await task.step((now) => now.claimedBy(clerk));
    for (const sees of [seesClerk, seesColleague, seesManager]) {
      expect((await sees!.messages(2)).map(({ kind }) => kind)).toEqual([
        'task.created',
        'task.claimed',
      ]);
    }
    // What comes next is told to those who see it, so what is not there by then will not come.
    const theirs = await tell(test.db, { candidateGroups: [], candidateUsers: [outsider.subject] });
    const [, sawOutsider] = seeNothing;
    expect((await sawOutsider!.messages(1)).map(({ taskId }) => taskId)).toEqual([theirs.id]);
    expect(seeNothing.map(({ events }) => events.length)).toEqual([0, 1, 0]);
  });

  it('leaves tasks with a blocking issue to managers (UT-164, UT-273)', async () => {
    const sees = await listen(manager);
    const seesNot = await listen(clerk);
    const blocked = await tell(
      test.db,
      { form: { providerName: 'nobody', key: 'k', version: '1' } as never },
      { resolution: { form: { failure: 'form-provider-missing' }, membership: null, dueAt: null } },
    );
    expect((await sees.messages(1))[0]).toMatchObject({ taskId: blocked.id });
    const next = await tell(test.db);
    expect((await seesNot.messages(1)).map(({ taskId }) => taskId)).toEqual([next.id]);
  });

  it('resumes after the last message that arrived, in another process too (UT-411)', async () => {
    const stream = await listen(clerk);
    const task = await tell(test.db);
    await stream.messages(1);
    const { id } = stream.events.at(-1)!;
    await stream.close();
    await task.step((now) => now.claimedBy(clerk));
    await tell(test.db, { candidateGroups: [], candidateUsers: [outsider.subject] });
    await task.step((now) => now.releasedBy(clerk));
    const resumed = await listen(clerk, { at: other, after: id });
    expect((await resumed.messages(2)).map(({ kind }) => kind)).toEqual([
      'task.claimed',
      'task.released',
    ]);
    await task.step((now) => now.claimedBy(clerk));
    expect((await resumed.messages(3)).map(({ revision }) => revision)).toEqual([2, 3, 4]);
    expect(resumed.events.map(({ event }) => event)).not.toContain('reset');
  });

  it('tells a client to load everything again when it cannot resume (UT-411)', async () => {
    await tell(test.db);
    for (const after of ['0', 'garbage', '999999999999']) {
      const stream = await listen(clerk, { after });
      expect(stream.events.map(({ event }) => event)).toEqual(['reset']);
      await tell(test.db);
      await stream.messages(1);
    }
  });

  it('tells what commits late though its position is lower, and resumes before it (UT-272, UT-411)', async () => {
    const late = new Client({ connectionString: test.url });
    await late.connect();
    try {
      const task = await tell(test.db);
      const stream = await listen(clerk);
      await late.query('begin');
      const inserted = await late.query<{ position: string }>(
        `insert into user_task_notifications (tenant_id, id, task_id, type, status, revision, data, occurred_at)
         values ('acme', 'ntf_late', $1, 'UserTaskChanged', 'Available', 1, '{"streamKind":"task.updated"}', now())
         returning position`,
        [task.id],
      );
      const position = BigInt(inserted.rows[0]!.position);
      await task.step((now) => now.claimedBy(clerk));
      expect((await stream.messages(1))[0]).toMatchObject({ kind: 'task.claimed' });
      // Whoever breaks off here must come to hear of what is not there yet.
      expect(BigInt(stream.events[0]!.id!)).toBeLessThan(position);
      const begins = await listen(clerk, { at: other });
      await late.query('commit');
      for (const told of [await stream.messages(2), await begins.messages(1)]) {
        expect(told.at(-1)).toMatchObject({ kind: 'task.updated', taskId: task.id });
      }
      const { id } = stream.events[0]!;
      const resumed = await listen(clerk, { after: id });
      expect((await resumed.messages(2)).map(({ kind }) => kind)).toEqual([
        'task.updated',
        'task.claimed',
      ]);
    } finally {
      await late.end();
    }
  });

  it('goes on after positions that nobody will ever write', async () => {
    const broken = new Client({ connectionString: test.url });
    await broken.connect();
    try {
      const task = await tell(test.db);
      const stream = await listen(clerk);
      await broken.query('begin');
      await broken.query(
        `insert into user_task_notifications (tenant_id, id, task_id, type, status, revision, data, occurred_at)
         values ('acme', 'ntf_never', $1, 'UserTaskChanged', 'Available', 1, '{"streamKind":"task.updated"}', now())`,
        [task.id],
      );
      await task.step((now) => now.claimedBy(clerk));
      await stream.messages(1);
      const stuck = BigInt(stream.events[0]!.id!);
      await broken.query('rollback');
      const goneOn = await within(10_000, async () => {
        await task.step((now) => now.rescheduled({ priority: now.task.priority + 1 }));
        await stream.messages(stream.events.length + 1);
        return BigInt(stream.events.at(-1)!.id!) > stuck + 1n;
      });
      expect(goneOn).toBe(true);
    } finally {
      await broken.end();
    }
  });

  it('loses nothing while the listening connection is gone (UT-272, UT-411)', async () => {
    const stream = await listen(clerk);
    const admin = new Client({ connectionString: test.url });
    await admin.connect();
    try {
      const listening = async (): Promise<number | null> => {
        const rows = await admin.query(
          `select from pg_stat_activity where application_name like 'listen-%' and datname = current_database()`,
        );
        return rows.rowCount;
      };
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'listen-%' and datname = current_database()`,
      );
      await within(10_000, async () => (await listening()) === 0);
      const task = await tell(test.db);
      // Nobody has heard of it.
      expect(await listening()).toBe(0);
      expect((await stream.messages(1))[0]).toMatchObject({ taskId: task.id });
      expect(await listening()).toBeGreaterThan(0);
      await task.step((now) => now.claimedBy(clerk));
      await stream.messages(2);
    } finally {
      await admin.end();
    }
  });

  it('says nothing protected (UT-269, UT-273)', async () => {
    const stream = await listen(manager);
    const task = await tell(test.db, {
      title: `title ${CANARY}`,
      instructions: CANARY,
      taskData: { secret: CANARY },
      candidateUsers: [user(CANARY)],
    });
    await task.step((now) => now.assignedTo(clerk.subject, { reason: CANARY }));
    await stream.messages(2);
    expect(stream.text()).not.toContain(CANARY);
  });
});
