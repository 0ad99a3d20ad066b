import { createHttpStack, type HttpStack } from '../harness/http-stack';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { acmeForms } from './acme-forms';
import type { ReviewStart } from './owners';
import { ACCOUNTS_PAYABLE, m, participant, w1, w2, x } from './people';

const DATA = { note: 'by Friday', iban: 'NL02ABNA0123456789', pin: '4711' };

describe('what a task discloses', () => {
  let stack: HttpStack;
  beforeAll(async () => {
    stack = await createHttpStack({
      formProviders: [acmeForms()],
      worker: { workflowsPath: require.resolve('./owners') },
    });
  }, 60_000);
  afterAll(() => stack.close());

  function raised(more: Partial<ReviewStart['input']> = {}): Promise<RaisedTask> {
    const input = {
      title: 'Pay',
      instructions: 'Check the account.',
      candidateGroups: [ACCOUNTS_PAYABLE],
      form: { providerName: 'ACME-Forms', key: 'payment' },
      taskData: DATA,
      ...more,
    };
    return stack.raise(input, { owner: 'invoice-review', with: { correlation: 'order-7' } });
  }

  const pathOf = ({ taskId }: RaisedTask): string => `/user-tasks/${taskId}`;
  const claim = async (task: RaisedTask, by = w1) => {
    const answer = await stack.as(by).post(`${pathOf(task)}/claim`, { expectedRevision: 1 });
    expect(answer.status).toBe(200);
  };
  const reveal = (task: RaisedTask, fieldKey: string, by = w1) =>
    stack.as(by).post(`${pathOf(task)}/reveal`, { fieldKey });
  const reveals = (task: RaisedTask) =>
    stack.database.userTaskEvent.findMany({
      where: { taskId: task.taskId, eventType: 'FieldRevealed' },
    });

  it('grows with a claim: instructions, actions and timeline (UT-305, UT-308, UT-412, UT-226)', async () => {
    const task = await raised();
    expect(await stack.as(w1).read(task.taskId)).toMatchObject({
      instructions: null,
      actions: [],
      form: null,
      events: { items: [], nextCursor: null },
      disclosure: { canViewProtected: false, canViewHistory: false },
    });
    await claim(task);
    const held = await stack.as(w1).read(task.taskId);
    expect(held).toMatchObject({
      instructions: 'Check the account.',
      actions: [{ key: 'approved' }, { key: 'rejected' }],
      disclosure: { canViewProtected: true, canViewHistory: true },
    });
    // The timeline of the detail is the first page of its own route.
    const { body, text } = await stack.as(w1).get(`${pathOf(task)}/events`);
    expect(held.events).toEqual(body);
    expect(held.events.items.map(({ kind }) => kind)).toEqual(['Created', 'Claimed']);
    expect(text).not.toMatch(/"w1"/);
    for (const by of [w2, x]) {
      const { text: theirs } = await stack.as(by).get(pathOf(task));
      expect(theirs).not.toMatch(/Check the account|Friday|Claimed/);
    }
  });

  it('pages the timeline of the detail like its route (UT-412)', async () => {
    const task = await raised({ candidateGroups: [], assignee: participant('user', 'w1') });
    for (let revision = 1; revision <= 55; revision += 1) {
      const change = { expectedRevision: revision, priority: revision };
      expect((await stack.as(m).patch(pathOf(task), change)).status).toBe(200);
    }
    const { events } = await stack.as(w1).read(task.taskId);
    expect(events.items).toHaveLength(50);
    const rest = await stack.as(w1).get(`${pathOf(task)}/events?cursor=${events.nextCursor}`);
    expect((rest.body['items'] as unknown[]).length).toBe(6);
  });

  it('counts candidates without naming them, and keeps health from participants (UT-306, UT-307, UT-044)', async () => {
    const task = await raised({
      candidateGroups: [],
      candidateUsers: [participant('user', 'w1'), participant('user', 'peer')],
      excludedUsers: [participant('user', 'boss')],
      assignee: participant('user', 'boss'),
    });
    const { body, text } = await stack.as(w1).get(pathOf(task));
    expect(body).toMatchObject({
      candidateSummary: '2 users',
      healthSeverity: null,
      healthCode: null,
      healthIssues: null,
      workflowDefinitionName: 'invoice-review',
      workflowInstanceReference: 'order-7',
      workflow: { instanceReference: 'order-7' },
    });
    expect(text).not.toMatch(/peer|boss/);
    expect(await stack.as(m).read(task.taskId)).toMatchObject({
      healthSeverity: 'Advisory',
      healthCode: 'excluded-assignee',
    });
  });

  it('masks fields, reveals one at a time what may be revealed, and remembers who looked (UT-309, UT-094, UT-095, UT-096, UT-097, UT-236)', async () => {
    const task = await raised();
    await claim(task);
    const held = await stack.as(w1).read(task.taskId);
    expect(held.form).toMatchObject({ providerName: 'ACME-Forms', key: 'payment', version: '1' });
    const shape = { type: 'text', required: false };
    expect(held.form?.fields).toEqual([
      {
        key: 'note',
        label: 'Label of note',
        ...shape,
        masked: false,
        canReveal: false,
        value: DATA.note,
      },
      { key: 'iban', label: 'Label of iban', ...shape, masked: true, canReveal: true, value: null },
      { key: 'pin', label: 'Label of pin', ...shape, masked: true, canReveal: false, value: null },
    ]);
    expect(held.taskData).toEqual({ note: DATA.note });
    const missing = await stack.as(w1).get(`${pathOf(task)}x`);
    for (const key of ['pin', 'note', 'unknown', '__proto__', 'IBAN']) {
      const { status, body } = await reveal(task, key);
      expect(status).toBe(404);
      expect({ ...body, instance: null }).toEqual({ ...missing.body, instance: null });
    }
    expect(await reveals(task)).toEqual([]);
    const revealed = await reveal(task, 'iban');
    expect(revealed).toMatchObject({ status: 200, body: { fieldKey: 'iban', value: DATA.iban } });
    expect(Object.keys(revealed.body).sort()).toEqual(['fieldKey', 'value']);
    expect(await reveals(task)).toMatchObject([
      { actor: { id: 'w1' }, metadata: { fieldKey: 'iban' }, reason: null, revision: 2 },
    ]);
    expect(JSON.stringify(await reveals(task))).not.toContain(DATA.iban);
    const after = await stack.as(w1).read(task.taskId);
    expect(after).toMatchObject({ revision: 2, updatedAt: held.updatedAt });
    expect(after.events.items.map(({ kind }) => kind)).toContain('FieldRevealed');
    const data = { iban: 'NL99NEWB0000000001', pin: '0000', remark: 'ok' };
    const completion = { expectedRevision: 2, operationId: 'done', actionKey: 'approved', data };
    expect((await stack.as(w1).post(`${pathOf(task)}/complete`, completion)).status).toBe(202);
    const done = await stack.as(w1).readOnce(task.taskId, 'Completed');
    expect(done.response).toEqual({ remark: 'ok' });
    expect(done.taskData).toEqual({ note: DATA.note });
    expect(await task.owner.result()).toMatchObject({ answer: { data } });
  });

  it('reveals to the assignee and to managers, to no candidate and to nobody who has lost the task (UT-310, UT-219, UT-096)', async () => {
    const task = await raised();
    for (const by of [w1, w2, x]) expect((await reveal(task, 'iban', by)).status).toBe(404);
    await claim(task);
    expect((await reveal(task, 'iban')).status).toBe(200);
    expect((await reveal(task, 'iban', m)).status).toBe(200);
    for (const by of [w2, x]) expect((await reveal(task, 'iban', by)).status).toBe(404);
    const offered = (await stack.as(m).read(task.taskId)).form?.fields.map(
      (each) => each.canReveal,
    );
    expect(offered).toEqual([false, true, false]);
    await stack.as(w1).post(`${pathOf(task)}/release`, { expectedRevision: 2 });
    expect((await reveal(task, 'iban')).status).toBe(404);
    expect(await reveals(task)).toHaveLength(2);
  });

  it('shows no value that it could not remember showing, and loses no revision by it (UT-344, UT-096, UT-138)', async () => {
    const task = await raised();
    await claim(task);
    await stack.database.$executeRaw`alter table user_task_events rename to user_task_events_away`;
    const refused = await reveal(task, 'iban');
    await stack.database.$executeRaw`alter table user_task_events_away rename to user_task_events`;
    expect(refused.status).toBe(500);
    expect(refused.text).not.toContain(DATA.iban);
    expect(await reveals(task)).toEqual([]);
    const release = { expectedRevision: 2 };
    expect((await stack.as(w1).post(`${pathOf(task)}/release`, release)).status).toBe(200);
  });

  it('hands on the metadata of actions unchanged, to those who see actions (UT-391)', async () => {
    const task = await raised();
    await claim(task);
    const { actions } = await within(5_000, () => stack.as(w1).read(task.taskId));
    expect(actions).toEqual([
      { key: 'approved', label: 'Approve', metadata: { colour: 'green' } },
      { key: 'rejected', label: 'Reject' },
    ]);
  });
});
