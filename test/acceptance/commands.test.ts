import { TemporalGateway } from '../../api/temporal-gateway';
import { commandResultWire } from '../../api/user-tasks/wire';
import type { Person } from '../../domain/user-tasks/actor';
import { WORKER_GRANTS } from '../builders/people';
import { createHttpStack, type HttpStack } from '../harness/http-stack';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { ACCOUNTS_PAYABLE, m, participant, someone, w1, w2, x } from './people';

const INPUT = { title: 'Review', candidateGroups: [ACCOUNTS_PAYABLE] };

describe('commands over HTTP', () => {
  let stack: HttpStack;
  beforeAll(async () => {
    stack = await createHttpStack();
  }, 60_000);
  afterAll(() => stack.close());

  /** A task whose action `approve` takes an amount. */
  const raised = (more: object = {}): Promise<RaisedTask> =>
    stack.raise({ ...INPUT, ...more }, { owner: 'oneReview' });
  const send = (task: RaisedTask, by: Person, verb: string, json: object) =>
    stack.as(by).post(`/user-tasks/${task.taskId}/${verb}`, json);
  const patch = (task: RaisedTask, by: Person, json: object) =>
    stack.as(by).patch(`/user-tasks/${task.taskId}`, json);
  const claimed = async (more: object = {}): Promise<RaisedTask> => {
    const task = await raised(more);
    expect((await send(task, w1, 'claim', { expectedRevision: 1 })).status).toBe(200);
    return task;
  };
  const refusal = async (answer: ReturnType<typeof send>): Promise<readonly unknown[]> => {
    const { status, body } = await answer;
    return [status, body['code']];
  };
  const completion = (more: object = {}) => ({
    expectedRevision: 2,
    operationId: 'OP1',
    actionKey: 'approve',
    data: { amount: 12.5 },
    ...more,
  });
  const kinds = async (task: RaisedTask, by = m) =>
    (await stack.as(by).read(task.taskId)).events.items.map(({ kind }) => kind);
  const entries = (task: RaisedTask, eventType: string) =>
    stack.database.userTaskEvent.findMany({ where: { taskId: task.taskId, eventType } });

  it('answer operation, status, revision and the caller’s summary (UT-221, UT-139, UT-229, UT-230, UT-233, UT-235)', async () => {
    const task = await raised({ enableCancellationOutcome: true });
    const steps: readonly [Person, string, object][] = [
      [w1, 'claim', {}],
      [w1, 'release', { reason: 'lunch' }],
      [m, 'assign', { assignee: { id: 'w1' } }],
      [m, '', { priority: 70 }],
      [m, 'retry-resolution', {}],
      [w1, 'complete', { operationId: 'OP1', actionKey: 'approve', data: { amount: 1 } }],
    ];
    for (const [by, verb, more] of steps) {
      const { revision: expectedRevision } = await stack.as(m).read(task.taskId);
      const json = { expectedRevision, ...more };
      const { status, body } = await (verb === ''
        ? patch(task, by, json)
        : send(task, by, verb, json));
      const result = commandResultWire.parse(body);
      const accepted = ['complete', 'retry-resolution'].includes(verb);
      expect([verb, status, result.status]).toEqual([
        verb,
        ...(accepted ? [202, 'accepted'] : [200, 'completed']),
      ]);
      expect(result.operationId).toMatch(verb === 'complete' ? /^OP1$/ : /^op_/);
      expect(result.revision).toBe(result.task.revision);
      // A retry is accepted at once and carried out afterwards.
      const raises = verb === 'retry-resolution' ? 0 : 1;
      expect(result.revision).toBeGreaterThanOrEqual(expectedRevision + raises);
      const mine = await stack.as(by).read(task.taskId);
      if (mine.revision === result.revision) expect(mine).toMatchObject(result.task);
      await within(10_000, async () => {
        const path = `/user-tasks/${task.taskId}/operations/${result.operationId}?wait=5`;
        return (await stack.as(by).get(path)).body['status'] === 'completed';
      });
    }
    const cancelled = await raised({ enableCancellationOutcome: true });
    const cancel = { expectedRevision: 1, operationId: 'C', reason: 'no' };
    const answer = await send(cancelled, m, 'cancel', cancel);
    expect(answer).toMatchObject({ status: 202, body: { status: 'accepted', operationId: 'C' } });
    expect((await entries(task, 'Released'))[0]).toMatchObject({ reason: 'lunch' });
  });

  it('are refused each with its code: absent, stale, wrong (UT-229, UT-230, UT-233, UT-235, UT-226)', async () => {
    const task = await claimed();
    const absent = { ...task, taskId: 'task_00000000-0000-4000-8000-000000000000' } as RaisedTask;
    const verbs: readonly [Person, string, object][] = [
      [w1, 'claim', {}],
      [w1, 'release', {}],
      [w1, 'complete', completion()],
      [m, 'retry-resolution', {}],
    ];
    for (const [by, verb, more] of verbs) {
      const stale = { ...more, expectedRevision: 1 };
      expect(await refusal(send(absent, by, verb, stale))).toEqual([404, 'not-found']);
      expect(await refusal(send(task, by, verb, stale))).toEqual([409, 'revision-conflict']);
      expect(await refusal(send(task, by, verb, {}))).toEqual([422, 'invalid-request']);
    }
    expect((await stack.as(w1).get(`/user-tasks/${absent.taskId}`)).status).toBe(404);
    const current = { expectedRevision: 2 };
    expect(await refusal(send(task, w2, 'claim', current))).toEqual([409, 'not-claimable']);
    expect(await refusal(send(task, w2, 'release', current))).toEqual([404, 'not-found']);
    expect(await refusal(send(task, w1, 'retry-resolution', current))).toEqual([
      403,
      'permission-denied',
    ]);
    for (const [more, code] of [
      [{ actionKey: 'Approve' }, 'invalid-action'],
      [{ actionKey: 'Timeout' }, 'reserved-action'],
      [{ actionKey: 'reject' }, 'form-required'],
      [{ data: { amount: -1 } }, 'form-invalid'],
      [{ data: { amount: 1, note: 'x'.repeat(262_144) } }, 'payload-too-large'],
    ] as const) {
      const answer = send(task, w1, 'complete', completion(more));
      expect(await refusal(answer)).toEqual([422, code]);
    }
    const { body } = await send(task, w1, 'complete', completion({ data: { amount: 'x' } }));
    expect(body['errors']).toEqual([{ pointer: '/data/amount', detail: expect.any(String) }]);
    expect(await kinds(task, w1)).toEqual(['Created', 'Claimed']);
    expect((await send(task, w1, 'complete', completion())).status).toBe(202);
    expect(await refusal(send(task, m, 'retry-resolution', current))).toEqual([409, 'terminal']);
  });

  it('complete once: a repetition is answered, another content refused, also on the closed task (UT-311, UT-233)', async () => {
    const task = await claimed();
    const first = await send(task, w1, 'complete', completion());
    expect(first).toMatchObject({ status: 202, body: { operationId: 'OP1', status: 'accepted' } });
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'approve',
      completedBy: { id: 'w1' },
    });
    await stack.as(w1).readOnce(task.taskId, 'Completed');
    const again = await send(task, w1, 'complete', completion());
    expect(again).toMatchObject({ status: 202, body: { operationId: 'OP1', status: 'accepted' } });
    const other = completion({ actionKey: 'reject', data: null });
    expect(await refusal(send(task, w1, 'complete', other))).toEqual([409, 'idempotency-conflict']);
    expect(await kinds(task, w1)).toEqual([
      'Created',
      'Claimed',
      'CompletionRequested',
      'Completed',
    ]);
  });

  it('are overtaken by the due date where timeouts are enabled (UT-312)', async () => {
    const task = await raised({ dueAt: 'PT1S', enableTimeoutOutcome: true });
    await stack.as(m).readOnce(task.taskId, 'TimedOut');
    const operations = await stack.database.userTaskOperation.findMany({
      where: { taskId: task.taskId },
    });
    expect(operations).toMatchObject([{ kind: 'Timeout', status: 'Completed', subject: null }]);
    expect(await task.owner.result()).toMatchObject({ actionKey: 'Timeout', completedBy: null });
    expect(await kinds(task)).toEqual(['Created', 'TimeoutRequested', 'TimedOut']);
  });

  it('meet a concurrent change as a conflict (UT-313)', async () => {
    const task = await raised();
    expect((await patch(task, m, { expectedRevision: 1, priority: 1 })).status).toBe(200);
    const claim = { expectedRevision: 1 };
    expect(await refusal(send(task, w1, 'claim', claim))).toEqual([409, 'revision-conflict']);
    expect((await send(task, w1, 'claim', { expectedRevision: 2 })).status).toBe(200);
  });

  it('complete once on two nodes at the same time (UT-314, UT-151)', async () => {
    const other = await stack.startNode();
    for (let round = 0; round < 10; round += 1) {
      const task = await claimed();
      const path = `/user-tasks/${task.taskId}/complete`;
      const answers = await Promise.all(
        [stack.node, other].map((node, index) =>
          node.as(w1).post(path, completion({ operationId: `OP${index}` })),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([202, 409]);
      const lost = answers.find(({ status }) => status === 409);
      expect(['revision-conflict', 'terminal', 'transition-in-progress']).toContain(
        lost?.body['code'],
      );
      expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
      expect((await kinds(task)).filter((kind) => kind === 'Completed')).toHaveLength(1);
    }
    await other.close();
  });

  it('do nothing while the database is away, and the same request works later (UT-344, UT-149)', async () => {
    const task = await raised();
    stack.apiDatabase.cut();
    const claim = { expectedRevision: 1, operationId: 'OP1' };
    const away = await send(task, w1, 'claim', claim);
    stack.apiDatabase.restore();
    expect([away.status, away.body['code']]).toEqual([503, 'unavailable']);
    expect(away.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await stack.as(w1).read(task.taskId)).toMatchObject({
      status: 'Available',
      revision: 1,
    });
    expect(await stack.database.userTaskOperation.count({ where: { taskId: task.taskId } })).toBe(
      0,
    );
    expect(await send(task, w1, 'claim', claim)).toMatchObject({
      status: 200,
      body: { revision: 2 },
    });
  });

  it('stand once they are accepted, though the database goes away before they are written down (UT-344, UT-149)', async () => {
    const task = await raised();
    class Losing extends TemporalGateway {
      override async update(...sent: Parameters<TemporalGateway['update']>) {
        const outcome = await super.update(...sent);
        stack.apiDatabase.cut();
        return outcome;
      }
    }
    const losing = await stack.startNode({
      database: stack.deps.database,
      gateway: new Losing(stack.client, { answerTimeoutMs: 10_000 }),
    });
    const claim = { expectedRevision: 1, operationId: 'OP1' };
    const path = `/user-tasks/${task.taskId}`;
    const unknown = await losing.as(w1).post(`${path}/claim`, claim);
    stack.apiDatabase.restore();
    await losing.close();
    expect([unknown.status, unknown.body['code']]).toEqual([504, 'outcome-unknown']);
    expect(unknown.headers.get('location')).toBe(`${path}/operations/OP1`);
    const again = await send(task, w1, 'claim', claim);
    expect(again).toMatchObject({ status: 200, body: { operationId: 'OP1', revision: 2 } });
    expect(await kinds(task)).toEqual(['Created', 'Claimed']);
    expect(await stack.database.userTask.count({ where: { id: task.taskId } })).toBe(1);
  });

  describe('that only managers may send', () => {
    const deputy = someone('deputy', [
      ...WORKER_GRANTS,
      'user-tasks:assign',
      'user-tasks:update',
      'user-tasks:cancel',
    ]);
    const attempts = (task: RaisedTask, by: Person, expectedRevision: number) =>
      [
        ['Assign', send(task, by, 'assign', { expectedRevision, assignee: { id: 'w2' } })],
        ['ScheduleUpdate', patch(task, by, { expectedRevision, priority: 1 })],
        [
          'Cancel',
          send(task, by, 'cancel', { expectedRevision, operationId: 'C', reason: 'secret why' }),
        ],
      ] as const;

    it('are remembered for managers when they are refused, with the true cause (UT-405, UT-156)', async () => {
      const task = await claimed();
      for (const [, answer] of attempts(task, m, 1)) {
        expect((await answer).status).toBeGreaterThanOrEqual(409);
      }
      await send(task, m, 'retry-resolution', { expectedRevision: 1 });
      for (const [, answer] of attempts(task, deputy, 2)) {
        expect(await refusal(answer)).toEqual([404, 'not-found']);
      }
      const kept = await entries(task, 'PrivilegedOperationFailed');
      const told = kept.map(({ actor, metadata }) => [(actor as { id: string }).id, metadata]);
      expect(told).toHaveLength(7);
      const expected: readonly [string, string, string][] = [
        ['m', 'Assign', 'revision-conflict'],
        ['m', 'ScheduleUpdate', 'revision-conflict'],
        ['m', 'Cancel', 'cancellation-disabled'],
        ['m', 'RetryResolution', 'revision-conflict'],
        ['deputy', 'Assign', 'permission-denied'],
        ['deputy', 'ScheduleUpdate', 'permission-denied'],
        ['deputy', 'Cancel', 'permission-denied'],
      ];
      expect(told).toEqual(
        expect.arrayContaining(expected.map(([id, operation, code]) => [id, { operation, code }])),
      );
      expect(JSON.stringify(kept)).not.toContain('secret why');
      expect(kept.map(({ revision }) => revision)).toEqual(Array(7).fill(2));
      expect(await stack.as(m).read(task.taskId)).toMatchObject({ revision: 2 });
      expect(
        (await kinds(task)).filter((kind) => kind === 'PrivilegedOperationFailed'),
      ).toHaveLength(7);
      expect(await kinds(task, w1)).toEqual(['Created', 'Claimed']);
      const { text } = await stack.as(w1).get(`/user-tasks/${task.taskId}/events?limit=200`);
      expect(text).not.toContain('PrivilegedOperationFailed');
    });

    it('open nothing to whom they were refused (UT-405, UT-210)', async () => {
      const task = await claimed();
      for (const [, answer] of attempts(task, deputy, 2)) await answer;
      expect((await entries(task, 'PrivilegedOperationFailed')).length).toBe(3);
      expect((await stack.as(deputy).get(`/user-tasks/${task.taskId}`)).status).toBe(404);
      await send(task, w1, 'complete', completion());
      await stack.as(m).readOnce(task.taskId, 'Completed');
      expect((await stack.as(deputy).get(`/user-tasks/${task.taskId}/events`)).status).toBe(404);
      expect((await stack.as(deputy).list('?scope=history')).items).toEqual([]);
    });

    it('leave no entry when they are malformed, lack the grant, repeat or succeed (UT-405)', async () => {
      const task = await claimed();
      await send(task, m, 'assign', { expectedRevision: 'two', assignee: { id: 'w2' } });
      await patch(task, m, { expectedRevision: 2, title: 'new' });
      for (const [, answer] of attempts(task, w1, 2)) expect((await answer).status).toBe(403);
      const assign = { expectedRevision: 2, operationId: 'A', assignee: { id: 'w2' } };
      for (let times = 0; times < 2; times += 1) {
        expect((await send(task, m, 'assign', assign)).status).toBe(200);
      }
      // Not privileged: a refused claim or completion is nobody else's business.
      await send(task, x, 'claim', { expectedRevision: 3 });
      await send(task, m, 'complete', completion({ expectedRevision: 3 }));
      expect(await entries(task, 'PrivilegedOperationFailed')).toEqual([]);
      expect(await entries(task, 'Reassigned')).toHaveLength(1);
    });

    it('name a first assignment and a reassignment apart, and use the names of the catalogue (UT-156)', async () => {
      const task = await raised({ assignee: participant('user', 'w2'), candidateGroups: [] });
      await send(task, m, 'assign', { expectedRevision: 1, assignee: { id: 'w1' } });
      await send(task, w1, 'release', { expectedRevision: 2 });
      await patch(task, m, { expectedRevision: 3, priority: 3 });
      await send(task, m, 'assign', { expectedRevision: 4, assignee: { id: 'w1' } });
      expect(await kinds(task)).toEqual([
        'Created',
        'Reassigned',
        'Released',
        'ScheduleUpdated',
        'Assigned',
      ]);
    });
  });
});
