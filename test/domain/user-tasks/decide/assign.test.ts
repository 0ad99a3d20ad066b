import { assign, complete, release } from '../../../builders/commands';
import {
  clerk,
  colleague,
  group,
  manager,
  OTHER_TENANT,
  outsider,
  user,
} from '../../../builders/people';
import { aTask, aTaskThatIs, outcomeOf } from '../../../builders/task';

describe('an assignment', () => {
  it('gives the task to one user, candidate or not, with the reason (UT-102, UT-154)', () => {
    const task = aTask().assignedTo(outsider.subject, { reason: 'knows the case' });

    expect(task.task).toMatchObject({
      status: 'Assigned',
      revision: 2,
      holding: { assignee: outsider.subject, assignedAt: task.task.updatedAt },
    });
    expect(task.events.at(-1)).toMatchObject({
      kind: 'Assigned',
      actor: manager.subject,
      assignee: outsider.subject,
      reason: 'knows the case',
      exclusionOverridden: false,
    });
  });

  it('of a held task is a reassignment (UT-102, UT-154, UT-156)', () => {
    const task = aTask().claimedBy(clerk).assignedTo(colleague.subject);

    expect(task.events.at(-1)).toMatchObject({ kind: 'Reassigned', assignee: colleague.subject });
    expect(task.task.formerAssignees).toEqual([clerk.subject]);
    expect(outcomeOf(task.when(complete, clerk))).toBe('not-found');
    expect(outcomeOf(task.when(complete, colleague))).toEqual(['CompletionRequested', 'Completed']);
  });

  it('to the present assignee makes nobody a former one', () => {
    expect(aTask().claimedBy(clerk).assignedTo(clerk.subject).task.formerAssignees).toEqual([]);
  });

  it('never completes on somebody’s behalf: the manager is not the assignee (UT-102)', () => {
    expect(outcomeOf(aTask().assignedTo(clerk.subject).when(complete, manager))).toBe('not-found');
    expect(outcomeOf(aTask().assignedTo(manager.subject).when(complete, manager))).toEqual([
      'CompletionRequested',
      'Completed',
    ]);
  });

  it('needs a manager with the assign grant (UT-206, UT-210)', () => {
    const withoutGrant = { ...manager, grants: ['user-tasks:supervise'] };
    const withoutStanding = { ...clerk, grants: ['user-tasks:assign'] };

    expect(outcomeOf(aTask().when(assign, withoutGrant))).toBe('permission-denied');
    expect(outcomeOf(aTask().when(assign, withoutStanding))).toBe('not-found');
    expect(outcomeOf(aTask().claimedBy(clerk).when(assign, withoutStanding))).toBe('not-found');
  });

  it.each([
    ['a group', group('clerks')],
    ['a blank id', user('  ')],
    ['an empty id', user('')],
  ])('to %s is refused (UT-118)', (_name, assignee) => {
    expect(outcomeOf(aTask().when(assign, manager, { assignee }))).toBe('invalid-assignee');
  });

  it('to somebody of another tenant is refused (UT-117)', () => {
    const assignee = user('clerk', { tenantId: OTHER_TENANT });

    expect(outcomeOf(aTask().when(assign, manager, { assignee }))).toBe('cross-tenant-assignee');
  });

  it('ends the complaint that nobody can work on the task (UT-165)', () => {
    const task = aTaskThatIs('Unassigned', { assignee: user('x'), excludedUsers: [user('x')] });

    expect(task.task.health).toHaveLength(2);
    expect(task.assignedTo(clerk.subject).task.health).toEqual([]);
  });
});

describe('an assignment to an excluded user', () => {
  const strict = aTask({ excludedUsers: [clerk.subject] });
  const lenient = aTask({ excludedUsers: [clerk.subject], allowManagerExclusionOverride: true });
  const assignee = user('clerk', { displayName: 'under another label' });

  it('is refused where the step does not allow it, whatever the reason (UT-072, UT-074)', () => {
    expect(outcomeOf(strict.when(assign, manager, { assignee, reason: 'urgent' }))).toBe(
      'excluded-assignee',
    );
  });

  it.each([[null], [''], [' \t\n']])('is refused with the reason %j (UT-074)', (reason) => {
    expect(outcomeOf(lenient.when(assign, manager, { assignee, reason }))).toBe(
      'excluded-assignee',
    );
  });

  it('is accepted with a reason where the step allows it, and the event says so (UT-074)', () => {
    const task = lenient.assignedTo(assignee, { reason: 'nobody else is there' });

    expect(task.events.at(-1)).toMatchObject({
      kind: 'Assigned',
      reason: 'nobody else is there',
      exclusionOverridden: true,
    });
  });

  it('makes an assignee like any other (UT-076)', () => {
    const task = lenient.assignedTo(clerk.subject, { reason: 'nobody else is there' });

    expect(outcomeOf(task.when(release, clerk))).toEqual(['Released']);
    expect(outcomeOf(task.when(complete, clerk))).toEqual(['CompletionRequested', 'Completed']);
  });

  it('is a manager’s alone (UT-075)', () => {
    const notAManager = { ...outsider, grants: ['user-tasks:assign'] };

    expect(outcomeOf(lenient.when(assign, notAManager, { assignee, reason: 'me' }))).toBe(
      'not-found',
    );
  });

  it('of another tenant is refused for the tenant (UT-117)', () => {
    const foreign = user('clerk', { tenantId: OTHER_TENANT });

    expect(outcomeOf(lenient.when(assign, manager, { assignee: foreign, reason: 'r' }))).toBe(
      'cross-tenant-assignee',
    );
  });
});
