import { claim } from '../../../builders/commands';
import {
  clerk,
  CLERKS,
  colleague,
  group,
  manager,
  OTHER_TENANT,
  outsider,
  person,
  user,
} from '../../../builders/people';
import { enumerating, notEnumerating } from '../../../builders/resolution';
import { aTask, aTaskThatIs, outcomeOf } from '../../../builders/task';

describe('a claim', () => {
  it('makes a candidate the assignee, since now (UT-100)', () => {
    const task = aTask().claimedBy(clerk);

    expect(task.task).toMatchObject({
      status: 'Assigned',
      revision: 2,
      holding: { assignee: clerk.subject, assignedAt: task.task.updatedAt },
    });
    expect(task.events.at(-1)).toMatchObject({
      kind: 'Claimed',
      revision: 2,
      actor: clerk.subject,
      assignee: clerk.subject,
      reason: null,
    });
  });

  it('is open to a candidate by name and to a member of a candidate group (UT-063, UT-100)', () => {
    const byName = aTask({ candidateGroups: [], candidateUsers: [outsider.subject] });

    expect(outcomeOf(byName.when(claim, outsider))).toEqual(['Claimed']);
    expect(outcomeOf(aTask().when(claim, person('new', { groups: [group('x'), CLERKS] })))).toEqual(
      ['Claimed'],
    );
  });

  it('follows the groups that the caller has now (UT-063, UT-065)', () => {
    expect(outcomeOf(aTask().when(claim, { ...clerk, groups: [] }))).toBe('not-found');
    expect(
      outcomeOf(
        aTask()
          .claimedBy(clerk)
          .releasedBy(clerk)
          .when(claim, { ...clerk, groups: [] }),
      ),
    ).toBe('not-found');
  });

  it('matches a group name with separators as one name (UT-055)', () => {
    const task = aTask({ candidateGroups: [group('group,with;delimiters')] });

    expect(
      outcomeOf(task.when(claim, person('a', { groups: [group('group,with;delimiters')] }))),
    ).toEqual(['Claimed']);
    for (const part of ['group', 'with', 'delimiters', 'group,with']) {
      expect(outcomeOf(task.when(claim, person('a', { groups: [group(part)] })))).toBe('not-found');
    }
  });

  it('has one winner (UT-100, UT-115, UT-116)', () => {
    const before = aTask();
    const after = before.claimedBy(clerk);

    expect(outcomeOf(after.when(claim, colleague, { expectedRevision: before.revision }))).toBe(
      'revision-conflict',
    );
    expect(outcomeOf(after.when(claim, colleague))).toBe('not-claimable');
  });

  it('is refused to an excluded user, by name or by group (UT-073)', () => {
    const byGroup = aTask({ excludedUsers: [user('clerk', { displayName: 'somebody else' })] });
    const byName = aTask({
      candidateUsers: [clerk.subject, colleague.subject],
      candidateGroups: [],
      excludedUsers: [clerk.subject],
    });

    expect(outcomeOf(byGroup.when(claim, clerk))).toBe('not-found');
    expect(outcomeOf(byName.when(claim, clerk))).toBe('not-found');
    expect(outcomeOf(byName.when(claim, colleague))).toEqual(['Claimed']);
  });

  it('is refused to an excluded user even where a manager could override (UT-075)', () => {
    const task = aTask({ excludedUsers: [clerk.subject], allowManagerExclusionOverride: true });

    expect(outcomeOf(task.when(claim, { ...clerk, grants: ['*'] }))).toBe('not-found');
  });

  it('of a snapshot follows the list that its sender found, not present groups (UT-066, UT-069, UT-403)', () => {
    const task = aTask(
      { membershipResolutionMode: 'Snapshot', excludedUsers: [colleague.subject] },
      { resolution: enumerating(2) },
    );
    const entitledBy = 'SnapshotMember' as const;

    expect(outcomeOf(task.when(claim, outsider, { entitledBy }))).toEqual(['Claimed']);
    expect(outcomeOf(task.when(claim, clerk))).toBe('not-found');
    expect(outcomeOf(task.when(claim, colleague, { entitledBy }))).toBe('not-found');
    expect(outcomeOf(aTask().when(claim, outsider, { entitledBy }))).toBe('not-found');
  });

  it('with a finding that has gone stale is a conflict (UT-403)', () => {
    const task = aTask(
      { membershipResolutionMode: 'Snapshot' },
      { resolution: notEnumerating([CLERKS], { memberCount: 1, eligibleCount: 1 }) },
    );
    const found = { entitledBy: 'SnapshotMember', expectedRevision: task.revision } as const;
    const repaired = task.retrying().resolved(enumerating(2));

    expect(outcomeOf(repaired.when(claim, clerk, found))).toBe('revision-conflict');
  });

  it('is never made by the system, which holds no task (UT-100)', () => {
    expect(outcomeOf(aTask().when(claim, { kind: 'system' }))).toBe('not-found');
  });

  it('is refused to somebody of another tenant with the same names (UT-062, UT-206)', () => {
    const foreign = { ...clerk, subject: user('clerk', { tenantId: OTHER_TENANT }) };

    expect(outcomeOf(aTask({ candidateUsers: [clerk.subject] }).when(claim, foreign))).toBe(
      'not-found',
    );
  });

  it('is refused to a manager who is no candidate (UT-210)', () => {
    expect(outcomeOf(aTask().when(claim, manager))).toBe('not-found');
  });

  it('needs the claim grant (UT-206, UT-403)', () => {
    const onlyViews = {
      ...clerk,
      grants: ['user-tasks:view', 'user-tasks:complete', 'user-tasks:supervise'],
    };

    expect(outcomeOf(aTask().when(claim, onlyViews))).toBe('permission-denied');
    expect(outcomeOf(aTask().when(claim, { ...clerk, grants: ['user-tasks:*'] }))).toEqual([
      'Claimed',
    ]);
  });

  it('ends the complaint that a configured assignee was excluded (UT-165)', () => {
    const task = aTask({ assignee: user('x'), excludedUsers: [user('x')] });

    expect(task.claimedBy(clerk).task.health).toEqual([]);
  });

  it('is recorded as done, with its content and its revision (UT-135, UT-136)', () => {
    const task = aTask().claimedBy(clerk, { operationId: 'once' });

    expect(task.record.operations).toEqual([
      {
        operationId: 'once',
        kind: 'Claim',
        subject: clerk.subject,
        requestHash: expect.stringMatching(/^[0-9A-F]{64}$/),
        receivedHash: expect.stringMatching(/^[0-9A-F]{64}$/),
        expectedRevision: 1,
        status: 'Completed',
        errorCode: null,
        actionKey: null,
        revision: 2,
        createdAt: task.task.updatedAt,
        updatedAt: task.task.updatedAt,
      },
    ]);
  });
});

describe('the deadline of a command', () => {
  const task = aTask();

  it('refuses what arrives later, and accepts what arrives on it (UT-401)', () => {
    const notAfter = task.now;

    expect(outcomeOf(task.when(claim, clerk, { notAfter }))).toEqual(['Claimed']);
    const late = task.rescheduled({ priority: 1 });
    expect(outcomeOf(late.when(claim, clerk, { notAfter }))).toBe('command-expired');
  });

  it('does not matter once the command was accepted (UT-401)', () => {
    const command = { operationId: 'once', expectedRevision: 1, notAfter: task.now };
    const accepted = task.claimedBy(clerk, command);

    expect(outcomeOf(accepted.when(claim, clerk, command))).toBe('repeated');
  });

  it('tells a stranger nothing (UT-212)', () => {
    const late = task.rescheduled({ priority: 1 });

    expect(outcomeOf(late.when(claim, outsider, { notAfter: task.now }))).toBe('not-found');
  });
});

describe('a claim of a task that nobody can work on', () => {
  it('finds nobody eligible (UT-100)', () => {
    const task = aTaskThatIs('Unassigned', {
      candidateUsers: [clerk.subject],
      excludedUsers: [clerk.subject],
    });

    expect(outcomeOf(task.when(claim, clerk))).toBe('not-found');
  });
});
