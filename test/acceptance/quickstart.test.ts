import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { taskIdOf } from '../../domain/ids';
import type { TaskDetailWire } from '../../api/user-tasks/wire';
import type { Answer } from '../api/start-api';
import { createHttpStack, type HttpStack } from '../harness/http-stack';
import { within } from '../harness/within';
import { acmeForms } from './acme-forms';
import type { ReviewStart } from './owners';
import { ACCOUNTS_PAYABLE, m, PROVIDER, w1, w2, x } from './people';

const DAY_MS = 86_400_000;

/** What every failure has, but for what is the request's own. */
const sameFailure = ({ status, body }: Answer): unknown => ({ status, ...body, instance: null });

const kinds = ({ events }: TaskDetailWire): readonly string[] =>
  events.items.map(({ kind }) => kind);

describe('the walk through user tasks, over HTTP', () => {
  let stack: HttpStack;
  let dueAt: string;
  let owner: WorkflowHandle;
  /** Path of the task that S1 raises. */
  let task: string;
  let taskId: string;

  beforeAll(async () => {
    stack = await createHttpStack({
      formProviders: [acmeForms()],
      worker: { workflowsPath: require.resolve('./owners') },
    });
    // Whatever asked for people of our own would fail from here on (S20).
    await stack.database.$executeRaw`alter table directory_participants rename to nobody_asks_here`;
  }, 60_000);
  afterAll(() => stack.close());

  /** Starts the workflow of S1, or one that differs in its inputs. */
  async function start(more: Partial<ReviewStart['input']> = {}): Promise<WorkflowHandle> {
    return stack.client.workflow.start('invoice-review', {
      workflowId: `invoice-review-${randomUUID()}`,
      taskQueue: stack.taskQueue,
      args: [
        {
          tenantId: 'acme',
          taskQueue: stack.taskQueue,
          correlation: 'order-1042',
          input: {
            title: 'Review invoice',
            summary: 'Invoice of a new supplier',
            instructions: 'Compare the amount with the purchase order.',
            reference: 'INV-1042',
            candidateGroups: [ACCOUNTS_PAYABLE],
            priority: 75,
            dueAt,
            form: { providerName: 'acme-forms', key: 'invoice-review', binding: 'version:3' },
            taskData: { invoiceNumber: 'INV-1042', amount: 1250, currency: 'EUR', supplier: 'Ink' },
            ...more,
          },
        } satisfies ReviewStart,
      ],
    });
  }

  /** Path of the task that the workflow has raised. */
  async function raisedBy({ workflowId }: WorkflowHandle): Promise<string> {
    const query = `?scope=all&workflowInstanceId=${workflowId}`;
    const found = await within(20_000, async () => (await stack.as(m).list(query)).items[0]);
    return `/user-tasks/${found.id}`;
  }

  const raised = async (more?: Partial<ReviewStart['input']>) => {
    const raising = await start(more);
    const path = await raisedBy(raising);
    return { owner: raising, path, id: path.replace('/user-tasks/', '') };
  };

  const completion = {
    expectedRevision: 5,
    operationId: 'OP1',
    actionKey: 'approved',
    data: { purchaseOrder: 'PO-1042', approvedAmount: 1250.0 },
  };
  const rejecting = { actionKey: 'rejected', data: {} };

  it('S1 starts a workflow that raises a task and waits (UT-360)', async () => {
    dueAt = new Date(Date.now() + 2 * DAY_MS).toISOString();
    owner = await start();
    expect(owner.workflowId).toMatch(/^invoice-review-/);
    task = await raisedBy(owner);
    taskId = task.replace('/user-tasks/', '');
    expect((await owner.describe()).status.name).toBe('RUNNING');
    expect(await stack.as(m).read(taskId)).toMatchObject({
      workflowDefinitionId: 'invoice-review',
      workflowInstanceId: owner.workflowId,
      workflowInstanceReference: 'order-1042',
    });
  });

  it('S2 lists it for a worker, with safe fields only (UT-361)', async () => {
    const query = '?scope=available&taskType=invoice-approval&limit=20&includeTotalCount=true';
    const { items, totalCount } = await stack.as(w1).list(query);
    expect([totalCount, items.length]).toEqual([1, 1]);
    expect(items[0]).toMatchObject({
      id: taskId,
      title: 'Review invoice',
      reference: 'INV-1042',
      status: 'Available',
      assignee: null,
      priority: 75,
      dueAt,
      isOverdue: false,
      allowedActions: ['claim'],
      dataAccess: 'summary',
      revision: 1,
    });
    for (const name of ['instructions', 'taskData', 'form']) {
      expect(items[0]).not.toHaveProperty(name);
    }
  });

  it('S3 hides it from an outsider and shows a worker the summary (UT-362)', async () => {
    expect((await stack.as(x).list('?scope=available')).items).toEqual([]);
    const nothing = await stack.as(x).get(`/user-tasks/${taskIdOf(randomUUID())}`);
    expect(nothing.status).toBe(404);
    expect(sameFailure(await stack.as(x).get(task))).toEqual(sameFailure(nothing));
    const claim = await stack.as(x).post(`${task}/claim`, { expectedRevision: 1 });
    expect(sameFailure(claim)).toEqual(sameFailure(nothing));
    expect(await stack.as(w1).read(taskId)).toMatchObject({
      dataAccess: 'summary',
      form: null,
      instructions: null,
      taskData: null,
    });
  });

  it('S4 lets one claim, and tells another that the task has changed (UT-363)', async () => {
    const won = await stack.as(w1).post(`${task}/claim`, { expectedRevision: 1 });
    expect(won).toMatchObject({
      status: 200,
      body: { status: 'completed', revision: 2, task: { status: 'Assigned', revision: 2 } },
    });
    expect(won.body['task']).toMatchObject({
      allowedActions: expect.arrayContaining(['release', 'complete']) as unknown,
    });
    expect(await stack.as(w2).post(`${task}/claim`, { expectedRevision: 1 })).toMatchObject({
      status: 409,
      body: { code: 'revision-conflict' },
    });
  });

  it('S5 shows the assignee what is protected, and nobody else (UT-364)', async () => {
    const held = await stack.as(w1).read(taskId);
    expect(held).toMatchObject({
      instructions: 'Compare the amount with the purchase order.',
      taskData: { invoiceNumber: 'INV-1042', amount: 1250, currency: 'EUR', supplier: 'Ink' },
      form: { providerName: 'acme-forms', key: 'invoice-review', version: '3' },
      disclosure: { canViewProtected: true },
      actions: [{ key: 'approved' }, { key: 'rejected' }],
    });
    expect(kinds(held)).toEqual(['Created', 'Claimed']);
    expect(await stack.as(w2).read(taskId)).toMatchObject({
      instructions: null,
      taskData: null,
      form: null,
      actions: [],
      events: { items: [] },
      disclosure: { canViewProtected: false },
    });
  });

  it('S6 takes the protected part away with a release, and another claims (UT-365)', async () => {
    const released = await stack.as(w1).post(`${task}/release`, { expectedRevision: 2 });
    expect(released).toMatchObject({
      status: 200,
      body: { revision: 3, task: { status: 'Available' } },
    });
    expect(await stack.as(w1).read(taskId)).toMatchObject({
      dataAccess: 'summary',
      instructions: null,
      taskData: null,
      form: null,
    });
    expect(await stack.as(w2).post(`${task}/claim`, { expectedRevision: 3 })).toMatchObject({
      status: 200,
      body: { revision: 4 },
    });
  });

  it('S7 lets a manager reassign, and only the assignee complete (UT-366)', async () => {
    const assignee = { provider: PROVIDER, type: 'user', id: 'w1' };
    const assign = { expectedRevision: 4, assignee, reason: 'month-end cover' };
    expect(await stack.as(m).post(`${task}/assign`, assign)).toMatchObject({
      status: 200,
      body: { revision: 5, task: { assignee: { id: 'w1' } } },
    });
    for (const by of [w2, m]) {
      const answer = await stack.as(by).post(`${task}/complete`, completion);
      expect(answer).toMatchObject({ status: 404, body: { code: 'not-found' } });
    }
  });

  it('S8 accepts the completion of the assignee (UT-367)', async () => {
    expect(await stack.as(w1).post(`${task}/complete`, completion)).toMatchObject({
      status: 202,
      body: { operationId: 'OP1', status: 'accepted' },
    });
    const done = await stack.as(w1).readOnce(taskId, 'Completed');
    expect(done).toMatchObject({ outcome: 'approved', completedBy: { id: 'w1' } });
  });

  it('S9 answers its repetition from the record and refuses everything else (UT-368)', async () => {
    const before = await stack.as(m).read(taskId);
    const again = await stack.as(w1).post(`${task}/complete`, completion);
    expect(again).toMatchObject({ status: 202, body: { operationId: 'OP1', status: 'accepted' } });
    const other = { ...completion, ...rejecting };
    expect(await stack.as(w1).post(`${task}/complete`, other)).toMatchObject({
      status: 409,
      body: { code: 'idempotency-conflict' },
    });
    const late = { ...completion, operationId: 'OP2' };
    expect(await stack.as(w1).post(`${task}/complete`, late)).toMatchObject({
      status: 409,
      body: { code: 'terminal' },
    });
    expect(await stack.as(m).read(taskId)).toEqual(before);
  });

  it('S10 gives the workflow the typed answer, once, and it branches (UT-369)', async () => {
    const { completedAt } = await stack.as(w1).read(taskId);
    expect(await owner.result()).toEqual({
      branch: 'pay',
      answer: {
        action: 'approved',
        actionKey: 'approved',
        data: { purchaseOrder: 'PO-1042', approvedAmount: 1250, currency: 'EUR' },
        completedBy: { ...w1.subject },
        completedAt,
        taskId,
      },
    });
    const { events } = await owner.fetchHistory();
    expect(
      events?.filter(({ childWorkflowExecutionCompletedEventAttributes: end }) => end),
    ).toHaveLength(1);
  });

  it('S11 lists it for managers with its whole timeline and nothing protected (UT-370)', async () => {
    const query = '?scope=all&status=Completed&priorityFrom=50&limit=50';
    expect((await stack.as(m).list(query)).items.map(({ id }) => id)).toContain(taskId);
    expect((await stack.as(w1).get(`/user-tasks${query}`)).status).toBe(403);
    const { status, body, text } = await stack.as(m).get(`${task}/events`);
    expect(status).toBe(200);
    // The refused attempt of a manager to complete is no privileged operation.
    expect((body['items'] as { kind: string }[]).map(({ kind }) => kind)).toEqual([
      'Created',
      'Claimed',
      'Released',
      'Claimed',
      'Reassigned',
      'CompletionRequested',
      'Completed',
    ]);
    expect(text).not.toMatch(/PO-1042|Compare|month-end|Ink/);
  });

  it('S12 leaves a task that nobody could claim to managers (UT-371)', async () => {
    const { id, owner: waiting } = await raised({ candidateGroups: [] });
    expect(await stack.as(m).read(id)).toMatchObject({
      status: 'Unassigned',
      healthCode: 'no-assignment',
    });
    const needing = await stack.as(m).list('?scope=needs-attention');
    expect(needing.items.map((item) => item.id)).toContain(id);
    for (const by of [w1, w2, x]) {
      expect((await stack.as(by).get(`/user-tasks/${id}`)).status).toBe(404);
    }
    await waiting.cancel();
  });

  it('S13 leaves a task without its form to managers until it is repaired (UT-372)', async () => {
    const {
      id,
      path,
      owner: waiting,
    } = await raised({
      form: { providerName: 'late-forms', key: 'invoice-review', binding: 'version:3' },
    });
    expect((await stack.as(w1).get(path)).status).toBe(404);
    expect(await stack.as(m).read(id)).toMatchObject({
      healthSeverity: 'Blocking',
      healthCode: 'form-provider-missing',
      allowedActions: expect.arrayContaining(['retry-resolution']) as unknown,
    });
    await stack.install({ ...acmeForms(), name: 'late-forms' });
    const retry = await stack.as(m).post(`${path}/retry-resolution`, { expectedRevision: 1 });
    expect(retry).toMatchObject({ status: 202, body: { status: 'accepted' } });
    await within(20_000, async () => (await stack.as(m).read(id)).healthCode === null);
    expect(await stack.as(w1).read(id)).toMatchObject({ allowedActions: ['claim'] });
    await waiting.cancel();
  });

  it('S14 ends a task that is due where that is enabled, else calls it overdue (UT-373)', async () => {
    const [timed, overdue] = [
      await raised({ dueAt: 'PT1S', enableTimeoutOutcome: true }),
      await raised({ dueAt: 'PT1S' }),
    ];
    await stack.as(m).readOnce(timed.id, 'TimedOut');
    expect(await timed.owner.result()).toMatchObject({ branch: 'Timeout' });
    const noticed = await within(20_000, async () => {
      const now = await stack.as(m).read(overdue.id);
      return kinds(now).includes('OverdueNotified') && now;
    });
    expect(noticed).toMatchObject({ isOverdue: true, status: 'Available' });
    const claim = { expectedRevision: noticed.revision };
    expect((await stack.as(w1).post(`${overdue.path}/claim`, claim)).status).toBe(200);
    const complete = { expectedRevision: 3, operationId: 'late', ...rejecting };
    expect((await stack.as(w1).post(`${overdue.path}/complete`, complete)).status).toBe(202);
    expect(await overdue.owner.result()).toMatchObject({ branch: 'send back' });
    const told = kinds(await stack.as(m).read(overdue.id));
    expect(told.filter((kind) => kind === 'OverdueNotified')).toHaveLength(1);
  });

  it('S15 lets a manager cancel with a reason, where that is enabled (UT-374)', async () => {
    const { path, id, owner: waiting } = await raised({ enableCancellationOutcome: true });
    const cancel = { expectedRevision: 1, operationId: 'cancel' };
    expect(await stack.as(m).post(`${path}/cancel`, cancel)).toMatchObject({
      status: 422,
      body: { code: 'reason-required' },
    });
    const reasoned = { ...cancel, reason: 'duplicate' };
    expect((await stack.as(m).post(`${path}/cancel`, reasoned)).status).toBe(202);
    await stack.as(m).readOnce(id, 'Cancelled');
    expect(await waiting.result()).toMatchObject({ branch: 'Cancelled' });
    const fixed = await raised();
    expect(await stack.as(m).post(`${fixed.path}/cancel`, reasoned)).toMatchObject({
      status: 422,
      body: { code: 'cancellation-disabled' },
    });
    await fixed.owner.cancel();
  });

  it('S16 cancels the task with its owner, who is not resumed (UT-375)', async () => {
    const { path, id, owner: waiting } = await raised();
    await stack.as(w1).post(`${path}/claim`, { expectedRevision: 1 });
    await waiting.cancel();
    expect(await stack.as(m).readOnce(id, 'Cancelled')).toMatchObject({ completedBy: null });
    await expect(waiting.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect((await stack.as(w1).read(id)).dataAccess).toBe('summary');
  });

  it('S20 has used no table of users or groups (UT-379, UT-013)', async () => {
    const tables = await stack.database.$queryRaw<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter(({ name }) => /^(users?|groups?|members?|people)$/.test(name))).toEqual(
      [],
    );
    const targets = await stack.database.$queryRaw<{ target: string }[]>`
      select distinct confrelid::regclass::text as target from pg_constraint where contype = 'f'`;
    expect(targets.map(({ target }) => target).sort()).toEqual(['user_tasks', 'webhook_endpoints']);
  });

  it('S21 lets a manager release, and the former holder loses access (UT-417)', async () => {
    const { path, id, owner: waiting } = await raised();
    await stack.as(w2).post(`${path}/claim`, { expectedRevision: 1 });
    const release = { expectedRevision: 2, reason: 'absent' };
    expect(await stack.as(m).post(`${path}/release`, release)).toMatchObject({
      status: 200,
      body: { revision: 3, task: { status: 'Available' } },
    });
    const entry = await stack.database.userTaskEvent.findFirstOrThrow({
      where: { taskId: id, eventType: 'Released' },
    });
    expect(entry).toMatchObject({ actor: { id: 'm' }, reason: 'absent' });
    expect(await stack.as(w2).read(id)).toMatchObject({ dataAccess: 'summary', taskData: null });
    const complete = { expectedRevision: 3, operationId: 'late', ...rejecting };
    expect((await stack.as(w2).post(`${path}/complete`, complete)).status).toBe(404);
    const again = { ...release, expectedRevision: 3 };
    expect(await stack.as(m).post(`${path}/release`, again)).toMatchObject({
      status: 409,
      body: { code: 'not-assigned' },
    });
    await waiting.cancel();
  });

  it('S22 takes claims while no worker runs and decides them in order (UT-418)', async () => {
    const { path, id, owner: waiting } = await raised();
    await stack.stopWorker();
    const addresses: string[] = [];
    for (const by of [w1, w2]) {
      const prefer = { headers: { prefer: 'respond-async' } };
      const answer = await stack.as(by).post(`${path}/claim`, { expectedRevision: 1 }, prefer);
      expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
      addresses.push(answer.headers.get('location') ?? '');
    }
    await stack.startWorker();
    const [first, second] = [
      await stack.as(w1).get(`${addresses[0]}?wait=20`),
      await stack.as(w2).get(`${addresses[1]}?wait=20`),
    ];
    expect(first.body).toMatchObject({ status: 'completed' });
    expect(second.body).toMatchObject({ status: 'rejected', errorCode: 'revision-conflict' });
    expect(await stack.as(m).read(id)).toMatchObject({
      status: 'Assigned',
      assignee: { id: 'w1' },
      revision: 2,
    });
    await waiting.cancel();
  });

  it('S23 refuses a task without an owner and never shows it (UT-419)', async () => {
    const count = async () =>
      (await stack.as(m).list('?scope=all&includeTotalCount=true')).totalCount;
    const before = await count();
    const id = taskIdOf(randomUUID());
    const orphan = stack.client.workflow.execute('userTask', {
      workflowId: `user-task/acme/${id}`,
      taskQueue: stack.taskQueue,
      args: [{ tenantId: 'acme', taskId: id, activityInstanceId: 'none', inputs: { title: 'x' } }],
    });
    await expect(orphan).rejects.toMatchObject({ cause: { type: 'owner-required' } });
    expect(await count()).toBe(before);
  });
});
