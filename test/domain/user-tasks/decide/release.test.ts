import { assign, claim, complete, release } from '../../../builders/commands';
import {
  clerk,
  CLERKS,
  colleague,
  manager,
  outsider,
  user,
  WORKER_GRANTS,
} from '../../../builders/people';
import { aTask, outcomeOf } from '../../../builders/task';

describe('a release', () => {
  it('gives the task back to the candidates and keeps the reason (UT-101, UT-154)', () => {
    const task = aTask().claimedBy(clerk).releasedBy(clerk, { reason: 'on leave' });

    expect(task.task).toMatchObject({
      status: 'Available',
      revision: 3,
      holding: null,
      health: [],
    });
    expect(task.events.at(-1)).toMatchObject({
      kind: 'Released',
      revision: 3,
      actor: clerk.subject,
      reason: 'on leave',
    });
    expect(outcomeOf(task.when(claim, colleague))).toEqual(['Claimed']);
  });

  it('leaves a task without eligible candidates Unassigned, and says so (UT-101)', () => {
    const task = aTask({
      candidateGroups: [],
      candidateUsers: [clerk.subject],
      excludedUsers: [clerk.subject],
    })
      .assignedTo(colleague.subject)
      .releasedBy(colleague);

    expect(task.task.status).toBe('Unassigned');
    expect(task.task.health).toEqual([
      {
        code: 'no-assignment',
        severity: 'Advisory',
        message: expect.any(String),
        since: task.task.updatedAt,
      },
    ]);
  });

  it('counts a candidate user who is not excluded, and a group whoever is in it, as a route (UT-101)', () => {
    const named = aTask({
      candidateGroups: [],
      candidateUsers: [clerk.subject, user('b')],
      excludedUsers: [clerk.subject],
    });
    const grouped = aTask({
      candidateGroups: [CLERKS],
      excludedUsers: [clerk.subject, colleague.subject],
    });

    for (const task of [named, grouped]) {
      expect(task.assignedTo(outsider.subject).releasedBy(outsider).task.status).toBe('Available');
    }
  });

  it('may be a manager’s, who is named by the event (UT-394)', () => {
    const task = aTask().claimedBy(clerk).releasedBy(manager, { reason: 'absent' });

    expect(task.events.at(-1)).toMatchObject({
      kind: 'Released',
      actor: manager.subject,
      reason: 'absent',
    });
    expect(outcomeOf(task.when(complete, clerk))).toBe('not-found');
    expect(outcomeOf(task.when(release, manager))).toBe('not-assigned');
  });

  it('needs the claim grant beside manager standing (UT-394)', () => {
    const withoutClaim = {
      ...manager,
      grants: manager.grants.filter((grant) => grant !== 'user-tasks:claim'),
    };

    expect(outcomeOf(aTask().claimedBy(clerk).when(release, withoutClaim))).toBe(
      'permission-denied',
    );
  });

  it('is refused to everybody else, other candidates and former assignees included (UT-101, UT-115)', () => {
    const task = aTask().claimedBy(clerk).releasedBy(clerk).claimedBy(colleague);

    expect(outcomeOf(task.when(release, clerk))).toBe('not-found');
    expect(outcomeOf(task.when(release, outsider))).toBe('not-found');
  });

  it('excludes again whom a manager had let in (UT-076)', () => {
    const task = aTask({ excludedUsers: [clerk.subject], allowManagerExclusionOverride: true })
      .assignedTo(clerk.subject, { reason: 'nobody else is there' })
      .releasedBy(clerk);

    expect(outcomeOf(task.when(claim, clerk))).toBe('not-found');
    expect(outcomeOf(task.when(assign, manager, { assignee: clerk.subject }))).toBe(
      'excluded-assignee',
    );
  });

  it('remembers each former assignee once', () => {
    const task = aTask()
      .claimedBy(clerk)
      .releasedBy(clerk)
      .claimedBy(clerk)
      .releasedBy(clerk)
      .claimedBy(colleague)
      .releasedBy(colleague);

    expect(task.task.formerAssignees).toEqual([clerk.subject, colleague.subject]);
  });

  it('works for an assignee who has left the group meanwhile (UT-065)', () => {
    const task = aTask().claimedBy(clerk);

    expect(outcomeOf(task.when(release, { ...clerk, groups: [], grants: WORKER_GRANTS }))).toEqual([
      'Released',
    ]);
    expect(outcomeOf(task.when(complete, { ...clerk, groups: [] }))).toEqual([
      'CompletionRequested',
      'Completed',
    ]);
  });
});
