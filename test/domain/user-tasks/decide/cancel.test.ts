import { cancel, release } from '../../../builders/commands';
import { clerk, manager } from '../../../builders/people';
import { aTask, outcomeOf, type TaskBuilder } from '../../../builders/task';

function cancellable(): TaskBuilder {
  return aTask({ enableCancellationOutcome: true });
}

describe('a cancellation', () => {
  it('by a manager closes the task with its reserved outcome (UT-106, UT-263, UT-396)', () => {
    const task = cancellable()
      .claimedBy(clerk)
      .cancelled({ reason: 'ordered twice', operationId: 'OP' });

    expect(task.events.slice(-2)).toMatchObject([
      {
        kind: 'CancellationRequested',
        revision: 3,
        actor: manager.subject,
        reason: 'ordered twice',
        operationId: 'OP',
      },
      {
        kind: 'Cancelled',
        revision: 4,
        actor: manager.subject,
        operationId: 'OP',
        actionKey: 'Cancelled',
        cause: 'manager',
      },
    ]);
    expect(task.task).toMatchObject({
      status: 'Cancelled',
      outcome: { actionKey: 'Cancelled', data: null, completedBy: manager.subject },
    });
    expect(task.record.operations.at(-1)).toMatchObject({
      kind: 'Cancel',
      status: 'Completed',
      actionKey: 'Cancelled',
    });
  });

  it('stays in transition while the task cannot close yet (UT-106, UT-136)', () => {
    const cancelling = cancellable().cancelling();

    expect(cancelling.task).toMatchObject({ status: 'Cancelling', revision: 2, completedAt: null });
    expect(cancelling.record.operations.at(-1)).toMatchObject({ status: 'Accepted' });
    expect(cancelling.finalised().task).toMatchObject({
      status: 'Cancelled',
      revision: 3,
      outcome: { completedBy: manager.subject },
    });
    expect(cancelling.finalised().events.at(-1)).toMatchObject({ cause: 'manager' });
  });

  it.each(['', ' ', '\n\t'])('with the reason %j is refused (UT-106)', (reason) => {
    expect(outcomeOf(cancellable().when(cancel, manager, { reason }))).toBe('reason-required');
  });

  it('is refused where the step did not enable it (UT-106)', () => {
    expect(outcomeOf(aTask().when(cancel, manager))).toBe('cancellation-disabled');
  });

  it('needs a manager with the cancel grant (UT-210)', () => {
    const task = cancellable().claimedBy(clerk);

    expect(outcomeOf(task.when(cancel, { ...clerk, grants: ['user-tasks:cancel'] }))).toBe(
      'not-found',
    );
    expect(outcomeOf(task.when(cancel, { ...manager, grants: ['user-tasks:supervise'] }))).toBe(
      'permission-denied',
    );
  });
});

describe('the order in which cancellations are refused', () => {
  const stale = { expectedRevision: 0 };

  it('puts the relationship first (UT-148)', () => {
    const closed = aTask().claimedBy(clerk).completed();

    expect(
      outcomeOf(closed.when(cancel, { ...clerk, grants: ['*:cancel'] }, { reason: '', ...stale })),
    ).toBe('not-found');
  });

  it('puts the reason before whether it is enabled (UT-148)', () => {
    expect(outcomeOf(aTask().when(cancel, manager, { reason: '', ...stale }))).toBe(
      'reason-required',
    );
  });

  it('puts whether it is enabled before an id that others used (UT-148)', () => {
    const task = aTask().claimedBy(clerk, { operationId: 'taken' });

    expect(outcomeOf(task.when(cancel, manager, { operationId: 'taken', ...stale }))).toBe(
      'cancellation-disabled',
    );
  });

  it('puts an id that others used before the end of the task (UT-148)', () => {
    const closed = cancellable().claimedBy(clerk, { operationId: 'taken' }).completed();

    expect(outcomeOf(closed.when(cancel, manager, { operationId: 'taken' }))).toBe(
      'idempotency-conflict',
    );
  });

  it('judges the state before the revision (UT-116, UT-148)', () => {
    const transitional = cancellable().claimedBy(clerk).completing();

    expect(outcomeOf(transitional.when(cancel, manager, stale))).toBe('transition-in-progress');
    expect(outcomeOf(transitional.finalised().when(cancel, manager, stale))).toBe('terminal');
    expect(outcomeOf(cancellable().when(cancel, manager, stale))).toBe('revision-conflict');
  });
});

describe('the order in which claim, release, assign and update are refused', () => {
  it('puts an id that others used before the end of the task and the revision (UT-148)', () => {
    const closed = aTask()
      .claimedBy(clerk)
      .rescheduled({ priority: 1, operationId: 'taken' })
      .completed();

    expect(
      outcomeOf(closed.when(release, clerk, { operationId: 'taken', expectedRevision: 1 })),
    ).toBe('idempotency-conflict');
  });

  it('puts the end of the task before the revision, and the revision before the transition (UT-116, UT-148)', () => {
    const transitional = aTask().claimedBy(clerk).completing();

    expect(outcomeOf(transitional.when(release, clerk, { expectedRevision: 1 }))).toBe(
      'revision-conflict',
    );
    expect(outcomeOf(transitional.when(release, clerk))).toBe('transition-in-progress');
    expect(outcomeOf(transitional.finalised().when(release, clerk, { expectedRevision: 1 }))).toBe(
      'terminal',
    );
  });
});
