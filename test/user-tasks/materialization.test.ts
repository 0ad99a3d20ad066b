import { randomUUID } from 'node:crypto';
import { taskIdOf, taskWorkflowId } from '../../domain/ids';
import { projectCreation } from '../../activities/user-tasks/project';
import type { CreationReceipt } from '../../domain/user-tasks/receipt';
import type { UserTaskStart } from '../../workflows/messages';
import { CLERKS } from '../builders/people';
import { aCreation } from '../builders/task';
import { create } from '../../domain/user-tasks/decide/create';
import { isRejection } from '../../domain/user-tasks/definition';
import { clerk, eventsOf, expectAgreement, send } from '../harness/acting';
import { createTaskStack, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

describe('raising a task', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  function aStart(more: Partial<UserTaskStart> = {}): UserTaskStart {
    return {
      tenantId: 'acme',
      taskId: taskIdOf(randomUUID()),
      activityInstanceId: 'step',
      inputs: { title: 'By hand', candidateGroups: [CLERKS] },
      ownerDefinition: { id: 'byHand', name: 'By hand', version: null, instanceReference: null },
      ...more,
    };
  }

  const owner = (...starts: readonly UserTaskStart[]) =>
    stack.client.workflow.start('byHand', {
      workflowId: `by-hand-${randomUUID()}`,
      taskQueue: stack.taskQueue,
      args: [{ starts, taskQueue: stack.taskQueue }],
    });

  const rows = (activityInstanceId: string) =>
    stack.database.userTask.findMany({ where: { activityInstanceId } });

  it('refuses a second start under its id, running or closed (UT-017)', async () => {
    const task = await stack.raise({ title: 'Once', candidateGroups: [CLERKS] });
    const again = () =>
      stack.client.workflow.start('userTask', {
        workflowId: task.workflowId,
        taskQueue: stack.taskQueue,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [aStart({ taskId: task.taskId })],
      });
    await expect(again()).rejects.toMatchObject({ name: 'WorkflowExecutionAlreadyStartedError' });
    await send(stack, task, clerk, { kind: 'claim' });
    await send(stack, task, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'done' });
    await task.owner.result();
    await expect(again()).rejects.toMatchObject({ name: 'WorkflowExecutionAlreadyStartedError' });
    await expectAgreement(stack, task);
  });

  it('fails a second task of the same step, and shows the first alone (UT-019, UT-032)', async () => {
    const step = randomUUID();
    const [first, second] = [
      aStart({ activityInstanceId: step }),
      aStart({ activityInstanceId: step }),
    ];
    const raised = await owner(first, second);
    const [row] = await within(15_000, async () => {
      const found = await rows(step);
      return found.length > 0 && found;
    });
    const loser = row?.id === first.taskId ? second : first;
    const failed = stack.client.workflow.getHandle(taskWorkflowId('acme', loser.taskId)).result();
    await expect(failed).rejects.toMatchObject({ cause: { type: 'duplicate-materialization' } });
    expect(await rows(step)).toHaveLength(1);
    expect(await stack.database.userTask.count({ where: { id: loser.taskId } })).toBe(0);
    expect(await stack.database.userTaskEvent.count({ where: { taskId: loser.taskId } })).toBe(0);
    await raised.terminate();
  });

  it('takes the same step in another tenant or another run of the owner for another task (UT-016, UT-382)', async () => {
    const step = randomUUID();
    const start = aStart({ activityInstanceId: step });
    const elsewhere = aStart({
      activityInstanceId: step,
      tenantId: 'globex',
      inputs: { title: 'There' },
    });
    const [here, later] = [
      await owner(start, elsewhere),
      await owner(aStart({ activityInstanceId: step })),
    ];
    await within(15_000, async () => (await rows(step)).length === 3);
    await Promise.all([here.terminate(), later.terminate()]);
  });

  it('lets many projections of one start write one task and one event (UT-018, UT-020)', async () => {
    const event = create(aCreation({}, { taskId: taskIdOf(randomUUID()), owner: anOwner() }));
    if (isRejection(event)) throw new Error(event.detail);
    const receipt: CreationReceipt = {
      event,
      workflowId: `w-${event.taskId}`,
      run: { runId: 'r', lineage: [] },
    };
    const all = await Promise.all(Array.from({ length: 12 }, () => projected(receipt)));
    expect(new Set(all)).toEqual(new Set([event.taskId]));
    expect(await eventsOf(stack, { taskId: event.taskId, workflowId: receipt.workflowId })).toEqual(
      [['Created', 1]],
    );
    const where = { taskId: event.taskId };
    expect(await stack.database.userTaskCandidate.count({ where })).toBe(1);
  });

  it('lets racing creators of one step agree on the winner (UT-020, UT-019)', async () => {
    const shared = anOwner();
    const receipts = Array.from({ length: 8 }, (): CreationReceipt => {
      const event = create(aCreation({}, { taskId: taskIdOf(randomUUID()), owner: shared }));
      if (isRejection(event)) throw new Error(event.detail);
      return { event, workflowId: `w-${event.taskId}`, run: { runId: 'r', lineage: [] } };
    });
    const holders = await Promise.all(receipts.map((receipt) => projected(receipt)));
    expect(new Set(holders).size).toBe(1);
    expect(await stack.database.userTask.count({ where: { ownerRunId: shared.runId } })).toBe(1);
  });

  function anOwner() {
    return {
      workflowId: 'invoice',
      runId: randomUUID(),
      activityInstanceId: 'approve',
      definitionId: 'invoice',
      definitionName: 'Invoice',
      definitionVersion: null,
      instanceReference: null,
    };
  }

  /** As the task's activity does it: again, while another transaction has not told yet who was first. */
  const projected = (receipt: CreationReceipt): Promise<string> =>
    within(10_000, () => projectCreation(stack.database, receipt));

  it.each<[string, Partial<UserTaskStart>, string]>([
    ['inputs that are none', { inputs: 'title' }, 'invalid-definition'],
    ['a blank title', { inputs: { title: ' ' } }, 'invalid-definition'],
    [
      'a foreign participant',
      { inputs: { title: 'x', candidateGroups: [{ ...CLERKS, tenantId: 'globex' }] } },
      'cross-tenant-participant',
    ],
    ['a step that is no text', { activityInstanceId: null as never }, 'invalid-definition'],
    ['no owner definition', { ownerDefinition: null as never }, 'invalid-definition'],
    [
      'a reference that no database can hold',
      { ownerDefinition: { id: 'a', name: 'b', version: null, instanceReference: '\u0000' } },
      'invalid-definition',
    ],
  ])('refuses %s, and writes no row (UT-032, UT-033, UT-384)', async (_what, wrong, code) => {
    const start = aStart(wrong);
    const [end] = (await (await owner(start)).result()) as string[][];
    expect(end).toContain(code);
    expect(await stack.database.userTask.count({ where: { id: start.taskId } })).toBe(0);
  });

  it('refuses a workflow id that is not the one of the task (UT-017)', async () => {
    const task = await stack.raise({ title: 'Once', candidateGroups: [CLERKS] });
    const start = aStart({ taskId: task.taskId, tenantId: 'acme' });
    const ended = await stack.client.workflow.start('elsewhere', {
      workflowId: `elsewhere-${randomUUID()}`,
      taskQueue: stack.taskQueue,
      args: [{ start, taskQueue: stack.taskQueue }],
    });
    expect(await ended.result()).toContain('invalid-definition');
    await expectAgreement(stack, task);
    await task.owner.terminate();
  });

  it.each([[[]], [[null]], [['text']], [[{}]]])(
    'refuses a start without owner, whatever its arguments %j (UT-380, UT-419)',
    async (args) => {
      const workflowId = `user-task/acme/${randomUUID()}`;
      const started = await stack.client.workflow.start('userTask', {
        workflowId,
        taskQueue: stack.taskQueue,
        args,
      });
      await expect(started.result()).rejects.toMatchObject({ cause: { type: 'owner-required' } });
      expect(await stack.database.userTask.count({ where: { workflowId } })).toBe(0);
    },
  );

  it('refuses a child started without owner, and shows nothing of it (UT-380, UT-419)', async () => {
    const start = aStart();
    const workflowId = taskWorkflowId('acme', start.taskId);
    const started = await stack.client.workflow.start('userTask', {
      workflowId,
      taskQueue: stack.taskQueue,
      args: [start],
    });
    await expect(started.result()).rejects.toMatchObject({ cause: { type: 'owner-required' } });
    expect(await stack.database.userTask.count({ where: { id: start.taskId } })).toBe(0);
    expect(await stack.database.userTaskEvent.count({ where: { taskId: start.taskId } })).toBe(0);
  });
});
