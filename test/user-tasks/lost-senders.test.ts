import { sweep } from '../../api/sweeper';
import { TemporalGateway } from '../../api/temporal-gateway';
import { insertPending, type OperationKey } from '../../api/user-tasks/operation-store';
import { instantOf } from '../../domain/instant';
import { parseCommand } from '../../domain/user-tasks/parse-command';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import { isRejection } from '../../domain/user-tasks/definition';
import type { Person } from '../../domain/user-tasks/actor';
import { CLERKS } from '../builders/people';
import {
  agePending,
  clerk,
  colleague,
  draft,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowOf,
  rowThatIs,
  send,
  settledOperation,
  type Ask,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

const input = { title: 'Invoice', candidateGroups: [CLERKS], enableCancellationOutcome: true };

describe('a command whose sender died', () => {
  let stack: TaskStack;
  let task: RaisedTask;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  beforeEach(async () => {
    task = await stack.raise(input);
  });
  afterAll(() => stack.close());

  function commandOf(by: Person, ask: Ask, projectedBySender = true): TaskCommand {
    const notAfter = projectedBySender ? instantOf(Date.now() + 60_000) : null;
    const command = parseCommand(ask.kind, {
      ...draft(ask),
      actor: by,
      projectedBySender,
      notAfter,
    });
    if (isRejection(command)) throw new Error(command.detail);
    return command;
  }

  const keyOf = ({ operationId }: TaskCommand): OperationKey => ({
    tenantId: 'acme',
    taskId: task.taskId,
    operationId,
  });

  /** What a sender does before it dies: writes the command down and, unless it dies earlier, sends it. */
  async function abandoned(
    by: Person,
    ask: Ask,
    reached: 'written' | 'sent',
  ): Promise<TaskCommand> {
    const command = commandOf(by, ask);
    await insertPending(stack.database, keyOf(command), command, 'update');
    if (reached === 'sent') {
      expect(await stack.deps.gateway.update(task.workflowId, command)).toMatchObject({
        kind: 'accepted',
      });
    }
    return command;
  }

  const swept = async (): Promise<void> => {
    await agePending(stack);
    await sweep(stack.deps);
  };

  it('after the task accepted it is projected by the sweeper (UT-400, UT-280)', async () => {
    await abandoned(clerk, { kind: 'claim', operationId: 'lost' }, 'sent');
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available', revision: 1 });
    expect(await sweep(stack.deps)).toMatchObject({ taken: 0 });
    await swept();
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Assigned', revision: 2 });
    expect(await operationOf(stack, task, 'lost')).toMatchObject({
      status: 'Completed',
      via: null,
    });
    await expectAgreement(stack, task);
  });

  it('before it was sent is removed after its deadline, and its id is free (UT-400, UT-150)', async () => {
    await abandoned(clerk, { kind: 'claim', operationId: 'lost' }, 'written');
    await agePending(stack, 20);
    await sweep(stack.deps);
    expect(await operationOf(stack, task, 'lost')).toMatchObject({ status: 'Pending' });
    await swept();
    expect(await operationOf(stack, task, 'lost')).toBeNull();
    expect(
      await send(stack, task, colleague, { kind: 'claim', operationId: 'lost' }),
    ).toMatchObject({ status: 'completed' });
  });

  it('is answered from what was accepted when the caller repeats it (UT-400, UT-142)', async () => {
    await abandoned(clerk, { kind: 'claim', operationId: 'lost' }, 'sent');
    const again = await send(stack, task, clerk, { kind: 'claim', operationId: 'lost' });
    expect(again).toMatchObject({ status: 'completed', view: { status: 'Assigned', revision: 2 } });
    expect(await eventsOf(stack, task)).toHaveLength(2);
  });

  it('is sent by the caller’s repetition when it never was (UT-400)', async () => {
    await abandoned(clerk, { kind: 'claim', operationId: 'lost' }, 'written');
    expect(await send(stack, task, clerk, { kind: 'claim', operationId: 'lost' })).toMatchObject({
      status: 'completed',
    });
    await expectAgreement(stack, task);
  });

  it('is settled as the completion that closed the task (UT-400, UT-280, UT-279)', async () => {
    await send(stack, task, clerk, { kind: 'claim' });
    await abandoned(clerk, { kind: 'complete', operationId: 'lost', expectedRevision: 2 }, 'sent');
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Assigned', revision: 2 });
    await swept();
    expect(await rowOf(stack, task)).toMatchObject({
      status: 'Completed',
      revision: 4,
      actionKey: 'approve',
    });
    expect(await operationOf(stack, task, 'lost')).toMatchObject({ status: 'Completed' });
    await expectAgreement(stack, task);
  });

  it('is settled by the next caller who meets the closed task (UT-400, UT-280)', async () => {
    await send(stack, task, clerk, { kind: 'claim' });
    await abandoned(clerk, { kind: 'complete', operationId: 'lost', expectedRevision: 2 }, 'sent');
    await task.owner.result();
    const late = send(stack, task, manager, {
      kind: 'cancel',
      expectedRevision: 2,
      operationId: 'late',
    });
    await expect(late).rejects.toMatchObject({ code: 'terminal' });
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Completed', revision: 4 });
    expect(await operationOf(stack, task, 'late')).toBeNull();
    await swept();
    expect(await operationOf(stack, task, 'lost')).toMatchObject({ status: 'Completed' });
  });

  it('is projected once however many processes sweep (UT-400, UT-275)', async () => {
    await abandoned(clerk, { kind: 'claim', operationId: 'lost' }, 'sent');
    await agePending(stack);
    const passes = await Promise.all(Array.from({ length: 5 }, () => sweep(stack.deps)));
    expect(passes.reduce((sum, { taken }) => sum + taken, 0)).toBe(1);
    expect(await eventsOf(stack, task)).toHaveLength(2);
  });

  it('as a signal that never left is signalled by the sweeper (UT-400, UT-410)', async () => {
    const command = commandOf(clerk, { kind: 'claim', operationId: 'signal' }, false);
    await insertPending(stack.database, keyOf(command), command, 'signal');
    await swept();
    await rowThatIs(stack, task, 'Assigned');
    expect(await settledOperation(stack, task, 'signal')).toMatchObject({
      status: 'Completed',
      command: null,
    });
  });

  it('as a signal to a task that has closed meanwhile ends rejected (UT-150, UT-400)', async () => {
    const command = commandOf(clerk, { kind: 'claim', operationId: 'signal' }, false);
    await insertPending(stack.database, keyOf(command), command, 'signal');
    await send(stack, task, manager, { kind: 'cancel', operationId: 'stop' });
    await task.owner.result();
    await swept();
    expect(await operationOf(stack, task, 'signal')).toMatchObject({
      status: 'Rejected',
      errorCode: 'terminal',
      command: null,
    });
  });

  it('and that no worker saw in time is settled once one runs (UT-400, UT-149)', async () => {
    await stack.stopWorker();
    const impatient = {
      ...stack.deps,
      gateway: new TemporalGateway(stack.client, { answerTimeoutMs: 1_000 }),
    };
    const sent = send({ deps: impatient }, task, clerk, { kind: 'claim', operationId: 'slow' });
    await expect(sent).rejects.toMatchObject({
      code: 'outcome-unknown',
      status: 504,
      location: `/user-tasks/${task.taskId}/operations/slow`,
    });
    expect(await operationOf(stack, task, 'slow')).toMatchObject({ status: 'Pending' });
    await stack.startWorker();
    await within(20_000, async () => {
      await agePending(stack, 20);
      await sweep(stack.deps);
      return (await operationOf(stack, task, 'slow'))?.status === 'Completed';
    });
    await expectAgreement(stack, task);
  });

  it('and that reaches the task after its deadline changes nothing (UT-401)', async () => {
    await stack.stopWorker();
    const hasty = {
      ...stack.deps,
      commandDeadlineMs: 1,
      gateway: new TemporalGateway(stack.client, { answerTimeoutMs: 15_000 }),
    };
    const sent = refusal(
      send({ deps: hasty }, task, clerk, { kind: 'claim', operationId: 'late' }),
    );
    await stack.startWorker();
    expect(await sent).toBe('command-expired');
    expect(await operationOf(stack, task, 'late')).toBeNull();
    expect(await rowOf(stack, task)).toMatchObject({ revision: 1 });
  });
});
