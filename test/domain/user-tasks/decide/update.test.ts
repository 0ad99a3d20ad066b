import type { Instant } from '../../../../domain/instant';
import { update } from '../../../builders/commands';
import { clerk, manager } from '../../../builders/people';
import { aTask, CREATED_AT, later, outcomeOf } from '../../../builders/task';

const SOON = later(CREATED_AT, 60);
const LATER = later(CREATED_AT, 600);

describe('an update of the schedule', () => {
  it('changes the priority and leaves the rest as it is (UT-035, UT-123, UT-124)', () => {
    const before = aTask({ priority: 10, dueAt: SOON }).claimedBy(clerk);
    const after = before.rescheduled({ priority: 90 });

    const { priority, revision, updatedAt, actors, ...rest } = after.task;
    const { priority: _p, revision: _r, updatedAt: _u, actors: _a, ...unchanged } = before.task;
    expect(rest).toEqual(unchanged);
    expect({ priority, revision, updatedAt }).toEqual({
      priority: 90,
      revision: 3,
      updatedAt: before.now,
    });
    expect(actors).toEqual([clerk.subject, manager.subject]);
  });

  it('sets, moves and clears the due date (UT-123, UT-124)', () => {
    const task = aTask();

    expect(task.rescheduled({ dueAt: SOON }).task.dueAt).toBe(SOON);
    expect(task.rescheduled({ dueAt: SOON }).rescheduled({ dueAt: LATER }).task.dueAt).toBe(LATER);
    expect(task.rescheduled({ dueAt: SOON }).rescheduled({ dueAt: null }).task.dueAt).toBeNull();
    expect(task.rescheduled({ dueAt: SOON }).rescheduled({ priority: 1 }).task.dueAt).toBe(SOON);
  });

  it.each([
    [{ priority: 1 }, ['priority']],
    [{ dueAt: SOON }, ['dueAt']],
    [{ dueAt: null }, ['dueAt']],
    [{ priority: 1, dueAt: SOON }, ['priority', 'dueAt']],
  ])('by %j says that it changed %j (UT-155)', (change, changed) => {
    expect(aTask().rescheduled(change).events.at(-1)).toMatchObject({
      kind: 'ScheduleUpdated',
      actor: manager.subject,
      changed,
    });
  });

  it('never changes the frozen inputs (UT-014, UT-035)', () => {
    const task = aTask({ priority: 10 });

    expect(task.rescheduled({ priority: 90, dueAt: SOON }).task.inputs).toEqual(task.task.inputs);
  });

  it('that names nothing is refused (UT-124)', () => {
    expect(outcomeOf(aTask().when(update, manager))).toBe('invalid-request');
  });

  it.each([-1, 101, 50.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'to the priority %d is refused (UT-122)',
    (priority) => {
      expect(outcomeOf(aTask().when(update, manager, { priority }))).toBe('invalid-priority');
    },
  );

  it.each([0, 100])('to the priority %d is accepted (UT-122)', (priority) => {
    expect(aTask().rescheduled({ priority }).task.priority).toBe(priority);
  });

  it('needs a manager with the update grant (UT-210)', () => {
    const task = aTask().claimedBy(clerk);

    expect(
      outcomeOf(task.when(update, { ...clerk, grants: ['user-tasks:update'] }, { priority: 1 })),
    ).toBe('not-found');
    expect(
      outcomeOf(
        task.when(update, { ...manager, grants: ['user-tasks:supervise'] }, { priority: 1 }),
      ),
    ).toBe('permission-denied');
  });

  it('that is stale conflicts before anything it asks is judged (UT-116, UT-148)', () => {
    const task = aTask().claimedBy(clerk);

    expect(outcomeOf(task.when(update, manager, { priority: 101, expectedRevision: 1 }))).toBe(
      'revision-conflict',
    );
  });

  it('to a due date in the past is accepted: the task is due (UT-125)', () => {
    const past = later(CREATED_AT, -60);
    const task = aTask().rescheduled({ dueAt: past });

    expect(outcomeOf(task.whenSystem({ kind: 'expire', dueAt: past }))).toEqual([
      'OverdueNotified',
    ]);
  });
});

describe('the overdue notice and the schedule', () => {
  const announced = aTask({ dueAt: SOON }).expired();
  const expire = (dueAt: Instant): { kind: 'expire'; dueAt: Instant } => ({
    kind: 'expire',
    dueAt,
  });

  it('begins a new occurrence when the due date moves into the future (UT-128)', () => {
    const moved = announced.rescheduled({ dueAt: LATER });

    expect(moved.task.overdueNotified).toBe(false);
    expect(outcomeOf(moved.at(LATER).whenSystem(expire(LATER)))).toEqual(['OverdueNotified']);
  });

  it('begins a new occurrence when the due date was cleared in between (UT-128)', () => {
    expect(announced.rescheduled({ dueAt: null }).task.overdueNotified).toBe(false);
  });

  it('is not repeated while the task stays overdue (UT-127, UT-128)', () => {
    const stillOverdue = announced.rescheduled({ dueAt: later(SOON, -10) });
    const reprioritised = announced.rescheduled({ priority: 99 });

    expect(outcomeOf(stillOverdue.whenSystem(expire(later(SOON, -10))))).toBe('timeout-not-due');
    expect(outcomeOf(reprioritised.whenSystem(expire(SOON)))).toBe('timeout-not-due');
  });
});
