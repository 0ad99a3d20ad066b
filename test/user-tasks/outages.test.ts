import { sweep } from '../../api/sweeper';
import { isOutage } from '../../api/outage';
import { CLERKS } from '../builders/people';
import {
  agePending,
  clerk,
  eventsOf,
  expectAgreement,
  operationOf,
  rowOf,
  rowThatIs,
  send,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

const claim = { kind: 'claim', operationId: 'claim' } as const;

describe('a task while something is away', () => {
  let stack: TaskStack;
  let task: RaisedTask;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  beforeEach(async () => {
    task = await stack.raise({ title: 'Invoice', candidateGroups: [CLERKS] });
  });
  afterEach(() => {
    stack.apiDatabase.restore();
    stack.workerDatabase.restore();
  });
  afterAll(() => stack.close());

  const historyOf = async (): Promise<number> =>
    (await stack.client.workflow.getHandle(task.workflowId).describe()).historyLength;

  it('is sent nothing while the database is away, and the same request works later (UT-400, UT-149, UT-344)', async () => {
    // The row is there before the workflow task that wrote it has ended.
    await within(10_000, async () => (await historyOf()) > 5);
    const before = await historyOf();
    stack.apiDatabase.cut();
    const failed: unknown = await send(stack, task, clerk, claim).catch((error: unknown) => error);
    expect(isOutage(failed)).toBe(true);
    expect(await historyOf()).toBe(before);
    stack.apiDatabase.restore();
    expect(await send(stack, task, clerk, claim)).toMatchObject({ status: 'completed' });
    await expectAgreement(stack, task);
  });

  it('tells that the outcome is unknown when the database fails after acceptance, and loses nothing (UT-149, UT-400, UT-344)', async () => {
    const { gateway } = stack.deps;
    const update = gateway.update.bind(gateway);
    const cutting = Object.assign(Object.create(gateway) as typeof gateway, {
      update: async (...args: Parameters<typeof update>) => {
        const outcome = await update(...args);
        stack.apiDatabase.cut();
        return outcome;
      },
    });
    const sent = send({ deps: { ...stack.deps, gateway: cutting } }, task, clerk, claim);
    await expect(sent).rejects.toMatchObject({ code: 'outcome-unknown' });
    stack.apiDatabase.restore();
    expect(await operationOf(stack, task, 'claim')).toMatchObject({ status: 'Pending' });
    await agePending(stack);
    await within(10_000, async () => (await sweep(stack.deps)).settled === 1);
    expect(await eventsOf(stack, task)).toEqual([
      ['Created', 1],
      ['Claimed', 2],
    ]);
    expect(await send(stack, task, clerk, claim)).toMatchObject({
      status: 'completed',
      view: { revision: 2 },
    });
    await expectAgreement(stack, task);
  });

  it('decides signals without the database of its worker and catches up (UT-280, UT-149)', async () => {
    stack.workerDatabase.cut();
    await signal(stack, task, clerk, claim);
    const complete = {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'done',
      actorKey: null,
    } as const;
    await within(10_000, async () => (await historyOf()) > 8);
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available' });
    stack.workerDatabase.restore();
    await rowThatIs(stack, task, 'Assigned');
    await send(stack, task, clerk, complete);
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    await expectAgreement(stack, task);
  });

  it('projects what it decided before its worker stopped once another runs (UT-280, UT-146)', async () => {
    stack.workerDatabase.cut();
    const handle = stack.client.workflow.getHandle(task.workflowId);
    await handle.signal('claim', { ...claim, expectedRevision: 1, actor: clerk });
    const complete = {
      operationId: 'done',
      expectedRevision: 2,
      actor: clerk,
      actionKey: 'approve',
    };
    await handle.signal('complete', complete);
    await within(10_000, async () => (await historyOf()) > 10);
    await stack.stopWorker();
    stack.workerDatabase.restore();
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available', revision: 1 });
    await stack.startWorker();
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    expect(await expectAgreement(stack, task)).toMatchObject({ status: 'Completed', revision: 4 });
  });

  it('appears once the database of the worker is back, when it was away at its start (UT-280, UT-024)', async () => {
    stack.workerDatabase.cut();
    const raised = stack.raise({ title: 'Later', candidateGroups: [CLERKS] });
    await within(10_000, async () => {
      const { count } = await stack.client.workflow.count(`CountersignTaskStatus = "Available"`);
      return count > 0;
    });
    stack.workerDatabase.restore();
    const late = await raised;
    expect(await eventsOf(stack, late)).toEqual([['Created', 1]]);
    await send(stack, late, clerk, claim);
    await expectAgreement(stack, late);
  });

  it('holds up no other task that is due while its own rows cannot be written (UT-131)', async () => {
    const due = () => ({ dueAt: new Date(Date.now() + 1_500), enableTimeoutOutcome: true });
    const raise = () => stack.raise({ title: 'Due', candidateGroups: [CLERKS], ...due() });
    const [stuck, other] = [await raise(), await raise()];
    await stack.database.$executeRaw`
      create or replace function refuse() returns trigger language plpgsql as $$
      begin if old.id = tg_argv[0] then raise 'refused'; end if; return new; end $$`;
    await stack.database.$executeRawUnsafe(
      `create trigger refusing before update on user_tasks for each row execute function refuse('${stuck.taskId}')`,
    );
    expect(await other.owner.result()).toMatchObject({ actionKey: 'Timeout' });
    expect(await rowOf(stack, stuck)).toMatchObject({ status: 'Available' });
    await stack.database.$executeRaw`drop trigger refusing on user_tasks`;
    expect(await stuck.owner.result()).toMatchObject({ actionKey: 'Timeout' });
    await expectAgreement(stack, stuck);
  });
});
