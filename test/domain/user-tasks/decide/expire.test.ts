import { millisOf, type Instant } from '../../../../domain/instant';
import { timeoutOperationId } from '../../../../domain/user-tasks/decide/expire';
import { timeoutHash } from '../../../../domain/user-tasks/request-hash';
import { isOverdue } from '../../../../domain/user-tasks/task';
import { claim, complete } from '../../../builders/commands';
import { clerk } from '../../../builders/people';
import { aTask, aTaskThatIs, CREATED_AT, later, outcomeOf, TASK_ID } from '../../../builders/task';

const DUE = later(CREATED_AT, 60);
const justBefore = new Date(millisOf(DUE) - 1).toISOString() as Instant;
const expire = { kind: 'expire', dueAt: DUE } as const;

describe('the due date of a task whose step enabled the timeout', () => {
  const task = aTask({ dueAt: DUE, enableTimeoutOutcome: true });

  it('times the task out once it has come, not a millisecond before (UT-104, UT-119, UT-125)', () => {
    expect(outcomeOf(task.at(justBefore).whenSystem(expire))).toBe('timeout-not-due');
    expect(outcomeOf(task.at(DUE).whenSystem(expire))).toEqual(['TimeoutRequested']);
    expect(outcomeOf(task.at(later(DUE, 1)).whenSystem(expire))).toEqual(['TimeoutRequested']);
  });

  it('gives the reserved answer that nobody completed, in two transitions (UT-104, UT-129, UT-263)', () => {
    const timingOut = task.claimedBy(clerk).timingOut();
    const timedOut = timingOut.finalised();

    expect(timingOut.task).toMatchObject({ status: 'TimingOut', revision: 3, completedAt: null });
    expect(timedOut.events.slice(-2)).toMatchObject([
      { kind: 'TimeoutRequested', revision: 3, actor: null },
      { kind: 'TimedOut', revision: 4, actor: null, actionKey: 'Timeout' },
    ]);
    expect(timedOut.task).toMatchObject({
      status: 'TimedOut',
      revision: 4,
      completedAt: timedOut.task.updatedAt,
      outcome: { actionKey: 'Timeout', data: null, completedBy: null },
      holding: { assignee: clerk.subject },
    });
  });

  it('is an operation of the system, named by task and revision (UT-130, UT-136)', () => {
    const timingOut = task.claimedBy(clerk).timingOut();

    expect(timingOut.record.operations.at(-1)).toEqual({
      operationId: `timeout:${TASK_ID}:2`,
      kind: 'Timeout',
      subject: null,
      requestHash: timeoutHash(2, DUE),
      receivedHash: timeoutHash(2, DUE),
      expectedRevision: 2,
      status: 'Accepted',
      errorCode: null,
      actionKey: 'Timeout',
      revision: 3,
      createdAt: DUE,
      updatedAt: DUE,
    });
    expect(timingOut.finalised().record.operations.at(-1)).toMatchObject({
      status: 'Completed',
      revision: 4,
    });
    expect(timeoutOperationId(TASK_ID, 2)).toBe(`timeout:${TASK_ID}:2`);
  });

  it('is processed once (UT-130)', () => {
    const timingOut = task.timingOut();

    expect(outcomeOf(timingOut.whenSystem(expire))).toBe('transition-in-progress');
    expect(outcomeOf(timingOut.finalised().whenSystem(expire))).toBe('transition-in-progress');
  });

  it('in the past is processed at once (UT-125)', () => {
    const past = later(CREATED_AT, -600);
    const overdue = aTask({ dueAt: past, enableTimeoutOutcome: true });

    expect(outcomeOf(overdue.whenSystem({ kind: 'expire', dueAt: past }))).toEqual([
      'TimeoutRequested',
    ]);
  });

  it('leaves the task to whoever was first (UT-110)', () => {
    expect(outcomeOf(task.claimedBy(clerk).completing().at(DUE).whenSystem(expire))).toBe(
      'transition-in-progress',
    );
    expect(outcomeOf(task.claimedBy(clerk).timingOut().when(complete, clerk))).toBe(
      'transition-in-progress',
    );
  });
});

describe('the due date of a task without timeout', () => {
  const task = aTask({ dueAt: DUE });

  it('is announced as an event with a revision, and the task stays as it is (UT-105, UT-127)', () => {
    const before = task.claimedBy(clerk);
    const announced = before.expired();

    expect(announced.events.at(-1)).toEqual({
      kind: 'OverdueNotified',
      revision: 3,
      occurredAt: DUE,
      actor: null,
      operationId: null,
      reason: null,
    });
    expect(announced.task).toEqual({
      ...before.task,
      revision: 3,
      updatedAt: DUE,
      overdueNotified: true,
    });
    expect(announced.record.operations).toEqual(before.record.operations);
    expect(outcomeOf(announced.when(complete, clerk))).toEqual([
      'CompletionRequested',
      'Completed',
    ]);
  });

  it('is announced once (UT-127)', () => {
    expect(outcomeOf(task.expired().whenSystem(expire))).toBe('timeout-not-due');
    expect(outcomeOf(task.expired().claimedBy(clerk).whenSystem(expire))).toBe('timeout-not-due');
  });

  it('is not announced for a task in transition or closed (UT-133)', () => {
    const completing = task.claimedBy(clerk).completing();

    expect(outcomeOf(completing.at(DUE).whenSystem(expire))).toBe('transition-in-progress');
    expect(outcomeOf(completing.finalised().at(DUE).whenSystem(expire))).toBe(
      'transition-in-progress',
    );
  });

  it('leaves an overdue task to be claimed', () => {
    expect(outcomeOf(task.expired().when(claim, clerk))).toEqual(['Claimed']);
  });
});

describe('a timer that was set before the schedule changed', () => {
  it.each([true, false])(
    'does nothing, with the timeout enabled: %s (UT-119, UT-128)',
    (enableTimeoutOutcome) => {
      const task = aTask({ dueAt: DUE, enableTimeoutOutcome });
      const moved = task.rescheduled({ dueAt: later(DUE, 60) }).at(later(DUE, 120));
      const cleared = task.rescheduled({ dueAt: null }).at(later(DUE, 120));

      expect(outcomeOf(moved.whenSystem(expire))).toBe('timeout-not-due');
      expect(outcomeOf(cleared.whenSystem(expire))).toBe('timeout-not-due');
    },
  );
});

describe('being overdue', () => {
  it('begins when the due date has come (UT-125, UT-126)', () => {
    const { task } = aTask({ dueAt: DUE });

    expect(isOverdue(task, justBefore)).toBe(false);
    expect(isOverdue(task, DUE)).toBe(true);
    expect(isOverdue(aTask().task, DUE)).toBe(false);
  });

  it('ends when the due date moves into the future or goes (UT-128)', () => {
    const overdue = aTask({ dueAt: DUE }).expired();

    expect(isOverdue(overdue.rescheduled({ dueAt: later(DUE, 60) }).task, later(DUE, 2))).toBe(
      false,
    );
    expect(isOverdue(overdue.rescheduled({ dueAt: null }).task, later(DUE, 2))).toBe(false);
  });

  it('is frozen when the task closes (UT-126, UT-129)', () => {
    const muchLater = later(DUE, 100_000);
    const inTime = aTask({ dueAt: DUE }).claimedBy(clerk).completed();
    const tooLate = aTask({ dueAt: DUE }).claimedBy(clerk).at(later(DUE, 1)).completed();

    expect(isOverdue(inTime.task, muchLater)).toBe(false);
    expect(isOverdue(tooLate.task, muchLater)).toBe(true);
    expect(isOverdue(aTaskThatIs('TimedOut').task, muchLater)).toBe(true);
  });
});
