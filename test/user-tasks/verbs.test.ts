import type { Instant } from '../../domain/instant';
import type { CommandKind } from '../../domain/user-tasks/commands';
import { commandSignals } from '../../workflows/messages';
import {
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
  signal,
  type Ask,
} from '../harness/acting';
import { within } from '../harness/within';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { CLERKS, outsider, person, user } from '../builders/people';
import type { Person } from '../../domain/user-tasks/actor';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS], enableCancellationOutcome: true };
const soon = '2126-01-01T00:00:00.000Z' as Instant;

interface Step {
  readonly by: Person;
  readonly ask: Ask;
}

const claimed: Step = { by: clerk, ask: { kind: 'claim' } };

/** For each verb what must come before it, the verb itself, and the events that it brings. */
const VERBS = {
  claim: { before: [], step: claimed, events: ['Claimed'] },
  release: {
    before: [claimed],
    step: { by: clerk, ask: { kind: 'release', reason: 'lunch' } },
    events: ['Released'],
  },
  assign: {
    before: [claimed],
    step: { by: manager, ask: { kind: 'assign', assignee: user('deputy'), reason: 'ill' } },
    events: ['Reassigned'],
  },
  update: {
    before: [],
    step: { by: manager, ask: { kind: 'update', priority: 90, dueAt: soon } },
    events: ['ScheduleUpdated'],
  },
  complete: {
    before: [claimed],
    step: { by: clerk, ask: { kind: 'complete', actionKey: 'reject' } },
    events: ['CompletionRequested', 'Completed'],
  },
  cancel: {
    before: [claimed],
    step: { by: manager, ask: { kind: 'cancel', reason: 'duplicate' } },
    events: ['CancellationRequested', 'Cancelled'],
  },
  retryResolution: {
    before: [],
    step: { by: manager, ask: { kind: 'retryResolution' } },
    events: ['ResolutionRetried'],
  },
} as const satisfies Record<
  CommandKind,
  { before: readonly Step[]; step: Step; events: readonly string[] }
>;

describe('the seven verbs, each as update and as signal', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  async function raised(before: readonly Step[]): Promise<RaisedTask> {
    const task = await stack.raise(input);
    for (const { by, ask } of before) await send(stack, task, by, ask);
    return task;
  }

  /** Everything of the row that does not tell the hour or the task. */
  async function shape(task: RaisedTask) {
    const { status, revision, priority, dueAt, assignee, actionKey, completedBy } = await rowOf(
      stack,
      task,
    );
    return {
      status,
      revision,
      priority,
      dueAt,
      assignee,
      actionKey,
      completedBy,
      events: await eventsOf(stack, task),
    };
  }

  describe.each(Object.entries(VERBS))('%s', (kind, { before, step, events }) => {
    const expectedRevision = before.length + 1;

    it('brings the same events, revision and operation through either (UT-399, UT-138, UT-154)', async () => {
      const [updated, signalled] = [await raised(before), await raised(before)];
      const ask = { ...step.ask, expectedRevision, operationId: 'once' };
      await send(stack, updated, step.by, ask);
      expect(await signal(stack, signalled, step.by, ask)).toEqual({
        kind: 'pending',
        operationId: 'once',
      });
      const kept = await settledOperation(stack, signalled, 'once');
      if (kind === 'complete' || kind === 'cancel') await signalled.owner.result();

      // A retry is accepted at once and carried out afterwards.
      for (const task of [updated, signalled]) {
        await within(
          10_000,
          async () => (await operationOf(stack, task, 'once'))?.status === 'Completed',
        );
      }

      const after = await shape(updated);
      expect(await shape(signalled)).toEqual(after);
      expect(after.events.slice(expectedRevision).map(([event]) => event)).toEqual(events);
      expect(after.revision).toBe(expectedRevision + events.length);
      const answered = await operationOf(stack, updated, 'once');
      expect(answered).toMatchObject({
        kind: kept.kind,
        requestHash: kept.requestHash,
        subject: { id: step.by.subject.id },
      });
      expect(answered).toMatchObject({
        status: 'Completed',
        via: null,
        command: null,
        errorCode: null,
      });
      expect(await settledOperation(stack, signalled, 'once')).toMatchObject({
        status: 'Completed',
        command: null,
      });
      await expectAgreement(stack, updated);
      await expectAgreement(stack, signalled);
    });

    it('refuses a stale revision alike: the update is answered, the signal is kept (UT-399, UT-150, UT-116)', async () => {
      const task = await raised(before);
      const stale = { ...step.ask, expectedRevision: expectedRevision + 7 };
      expect(await refusal(send(stack, task, step.by, { ...stale, operationId: 'answered' }))).toBe(
        'revision-conflict',
      );
      await signal(stack, task, step.by, { ...stale, operationId: 'kept' });
      expect(await settledOperation(stack, task, 'kept')).toMatchObject({
        status: 'Rejected',
        errorCode: 'revision-conflict',
        revision: expectedRevision,
        command: null,
      });
      expect(await operationOf(stack, task, 'answered')).toBeNull();
      expect(await eventsOf(stack, task)).toHaveLength(expectedRevision);
      await expectAgreement(stack, task);
    });

    it('refuses a signal whose sender lacks the grant, and keeps the refusal (UT-403, UT-399)', async () => {
      const task = await raised(before);
      const powerless =
        kind === 'retryResolution'
          ? { ...clerk, grants: ['user-tasks:view'] }
          : { ...step.by, grants: ['user-tasks:view', 'user-tasks:supervise'] };
      await signal(stack, task, powerless, {
        ...step.ask,
        expectedRevision,
        operationId: 'powerless',
      });
      expect(await settledOperation(stack, task, 'powerless')).toMatchObject({
        status: 'Rejected',
        errorCode: 'permission-denied',
      });
      await expectAgreement(stack, task);
    });
  });

  it('leaves nothing in the history of the task for a refused update (UT-399)', async () => {
    const task = await raised([claimed]);
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const before = (await handle.describe()).historyLength;
    for (let n = 0; n < 3; n += 1) {
      expect(
        await refusal(send(stack, task, colleague, { kind: 'claim', expectedRevision: 2 })),
      ).toBe('not-claimable');
    }
    expect((await handle.describe()).historyLength).toBe(before);
  });

  it('takes signals while no worker runs and decides them in order of arrival (UT-410, UT-418)', async () => {
    const task = await raised([]);
    await stack.stopWorker();
    try {
      for (const by of [clerk, colleague]) {
        const answer = await signal(stack, task, by, { kind: 'claim', operationId: by.subject.id });
        expect(answer).toEqual({ kind: 'pending', operationId: by.subject.id });
      }
      expect(await operationOf(stack, task, 'clerk')).toMatchObject({
        status: 'Pending',
        via: 'signal',
      });
    } finally {
      await stack.startWorker();
    }
    expect(await settledOperation(stack, task, 'colleague')).toMatchObject({
      status: 'Rejected',
      errorCode: 'revision-conflict',
    });
    expect(await settledOperation(stack, task, 'clerk')).toMatchObject({
      status: 'Completed',
      revision: 2,
    });
    expect(await rowOf(stack, task)).toMatchObject({
      status: 'Assigned',
      revision: 2,
      assignee: { id: 'clerk' },
    });
  });

  it('sends nothing for a task that the caller may not see (UT-410, UT-212)', async () => {
    const task = await raised([]);
    expect(
      await refusal(signal(stack, task, outsider, { kind: 'claim', operationId: 'hidden' })),
    ).toBe('not-found');
    const foreign = person('clerk', { groups: [CLERKS] });
    const elsewhere = { ...foreign, subject: { ...foreign.subject, tenantId: 'globex' } };
    expect(
      await refusal(signal(stack, task, elsewhere, { kind: 'claim', operationId: 'hidden' })),
    ).toBe('not-found');
    expect(await operationOf(stack, task, 'hidden')).toBeNull();
  });

  it('ends the owner once when a completion and a cancellation arrive as signals together (UT-110, UT-151)', async () => {
    const task = await raised([claimed]);
    await stack.stopWorker();
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const message = (ask: Ask, by: Person) => ({ ...draft(ask), actor: by });
    await handle.signal(
      commandSignals.complete,
      message({ kind: 'complete', expectedRevision: 2, operationId: 'A' }, clerk),
    );
    await handle.signal(
      commandSignals.cancel,
      message({ kind: 'cancel', expectedRevision: 2, operationId: 'B' }, manager),
    );
    await stack.startWorker();
    await rowThatIs(stack, task, 'Completed');
    expect(await settledOperation(stack, task, 'B')).toMatchObject({
      status: 'Rejected',
      errorCode: 'transition-in-progress',
    });
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'approve',
      completedBy: { id: 'clerk' },
    });
    await expectAgreement(stack, task);
  });
});
