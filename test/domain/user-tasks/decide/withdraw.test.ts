import { resultOf } from '../../../../domain/user-tasks/receipt';
import { clerk, manager } from '../../../builders/people';
import { aTask, aTaskThatIs, outcomeOf } from '../../../builders/task';

describe('the end of the owner’s wait', () => {
  it.each(['Unassigned', 'Available', 'Assigned'] as const)(
    'cancels a task that is %s, by nobody and without an operation (UT-107, UT-112, UT-396)',
    (status) => {
      const before = aTaskThatIs(status);
      const after = before.withdrawn();

      expect(after.task).toMatchObject({
        status: 'Cancelled',
        revision: before.revision + 1,
        completedAt: before.now,
        holding: before.task.holding,
        outcome: { actionKey: 'Cancelled', data: null, completedBy: null },
      });
      expect(after.events.at(-1)).toMatchObject({
        kind: 'Cancelled',
        actor: null,
        operationId: null,
        actionKey: 'Cancelled',
        cause: 'owner',
      });
      expect(after.record.operations).toEqual(before.record.operations);
    },
  );

  it('is told apart from the end of the task’s own workflow (UT-396)', () => {
    const terminated = aTask().withdrawn('terminated');

    expect(terminated.events.at(-1)).toMatchObject({ actor: null, cause: 'terminated' });
  });

  it('lets an accepted completion win (UT-107, UT-114)', () => {
    const task = aTask({ actions: [{ key: 'ok', label: 'OK', metadata: null, schema: true }] })
      .claimedBy(clerk)
      .completing({ actionKey: 'ok', data: { a: 1 } })
      .withdrawn();

    expect(task.task.status).toBe('Completed');
    expect(task.record.operations.at(-1)).toMatchObject({ kind: 'Complete', status: 'Completed' });
    expect(resultOf(task.task)).toMatchObject({
      actionKey: 'ok',
      data: { a: 1 },
      completedBy: clerk.subject,
    });
  });

  it('lets an accepted timeout win (UT-107, UT-114)', () => {
    const task = aTaskThatIs('TimingOut').withdrawn();

    expect(task.task).toMatchObject({ status: 'TimedOut', outcome: { actionKey: 'Timeout' } });
    expect(task.record.operations.at(-1)).toMatchObject({ kind: 'Timeout', status: 'Completed' });
  });

  it('lets a manager’s cancellation win, which stays the manager’s (UT-107, UT-114, UT-396)', () => {
    const task = aTaskThatIs('Cancelling').withdrawn();

    expect(task.events.at(-1)).toMatchObject({
      kind: 'Cancelled',
      cause: 'manager',
      actor: manager.subject,
    });
    expect(task.record.operations.at(-1)).toMatchObject({ kind: 'Cancel', status: 'Completed' });
  });

  it.each(['Completing', 'TimingOut', 'Cancelling'] as const)(
    'undoes what was accepted while %s in a workflow that was ended from outside (UT-136, UT-396)',
    (status) => {
      const ended = aTaskThatIs(status).withdrawn('terminated');

      expect(ended.task).toMatchObject({
        status: 'Cancelled',
        outcome: { actionKey: 'Cancelled', data: null, completedBy: null },
      });
      expect(ended.events.at(-1)).toMatchObject({ cause: 'terminated', operationId: null });
      expect(ended.record.operations.at(-1)).toMatchObject({
        status: 'Failed',
        errorCode: 'terminated',
        revision: ended.revision,
      });
    },
  );

  it.each(['Completed', 'TimedOut', 'Cancelled'] as const)(
    'changes nothing about a task that is %s (UT-107)',
    (status) => {
      expect(outcomeOf(aTaskThatIs(status).whenSystem({ kind: 'withdraw', cause: 'owner' }))).toBe(
        'terminal',
      );
    },
  );
});

describe('the end of a transition', () => {
  it('keeps what was accepted and when it was accepted apart from when it ended (UT-103, UT-112)', () => {
    const completing = aTaskThatIs('Completing');
    const ended = completing.finalised();

    expect(ended.task).toMatchObject({
      status: 'Completed',
      revision: completing.revision + 1,
      completedAt: completing.now,
    });
    expect(ended.task.outcome).toEqual(completing.task.outcome);
    expect(ended.task.holding).toEqual(completing.task.holding);
  });

  it.each(['Unassigned', 'Available', 'Assigned', 'Completed', 'TimedOut', 'Cancelled'] as const)(
    'is a bug when the task is %s, not an answer',
    (status) => expect(() => aTaskThatIs(status).whenSystem({ kind: 'finalise' })).toThrow(status),
  );
});
