import {
  OPEN_STATUSES,
  evolve,
  hasRoute,
  isTerminal,
  isTransitional,
  TASK_STATUSES,
  type TransitionEvent,
} from '../../../domain/user-tasks/task';
import {
  healthIssue,
  withIssue,
  withoutIssues,
  worstIssue,
  type HealthCode,
  type HealthIssue,
} from '../../../domain/user-tasks/health';
import {
  REMEMBERED_OPERATIONS,
  withOperation,
  type OperationRecord,
} from '../../../domain/user-tasks/operation';
import { REJECTION_CODES, isRejectionCode } from '../../../domain/user-tasks/rejection';
import { clerk, CLERKS, colleague, user } from '../../builders/people';
import { aTask, aTaskThatIs, CREATED_AT, later } from '../../builders/task';

describe('the states of a task', () => {
  it('are nine: three open, three transitional, three terminal (UT-009)', () => {
    expect(OPEN_STATUSES).toEqual(['Unassigned', 'Available', 'Assigned']);
    expect(TASK_STATUSES.filter(isTransitional)).toEqual(['Completing', 'TimingOut', 'Cancelling']);
    expect(TASK_STATUSES.filter(isTerminal)).toEqual(['Completed', 'TimedOut', 'Cancelled']);
    expect(TASK_STATUSES).toHaveLength(9);
  });

  it.each(TASK_STATUSES)('can all be reached: %s (UT-009)', (status) => {
    expect(aTaskThatIs(status).task.status).toBe(status);
  });
});

describe('applying an event', () => {
  const base = { occurredAt: CREATED_AT, actor: null, operationId: null, reason: null };

  it.each([0, 1, 3])(
    'refuses revision %i after revision 1, which no accepted event has',
    (revision) => {
      const event: TransitionEvent = { ...base, revision, kind: 'OverdueNotified' };

      expect(() => evolve(aTask().task, event)).toThrow('revision');
    },
  );

  it('refuses a completion of what nobody holds, which no decision makes', () => {
    const requested: TransitionEvent = {
      ...base,
      revision: 2,
      kind: 'CompletionRequested',
      actionKey: 'Complete',
      data: null,
    };
    const completed: TransitionEvent = {
      ...base,
      revision: 2,
      kind: 'Completed',
      actionKey: 'Complete',
    };

    expect(() => evolve(aTask().task, requested)).toThrow('assignee');
    expect(() => evolve(aTask().task, completed)).toThrow('completed');
  });

  it('remembers each actor once, in order (UT-210)', () => {
    const task = aTask()
      .claimedBy(clerk)
      .rescheduled({ priority: 1 })
      .releasedBy(clerk)
      .claimedBy(colleague);

    expect(task.task.actors.map((actor) => actor.id)).toEqual(['clerk', 'manager', 'colleague']);
  });

  it('stamps the task with the time of the event (UT-138)', () => {
    const task = aTask();

    expect(task.claimedBy(clerk).task.updatedAt).toBe(task.now);
    expect(task.claimedBy(clerk).task.createdAt).toBe(CREATED_AT);
  });
});

describe('a route to somebody who can work on a task', () => {
  const nobody = { candidateUsers: [], candidateGroups: [], excludedUsers: [] };
  const snapshot = { ...nobody, candidateGroups: [CLERKS], membershipResolutionMode: 'Snapshot' };

  it.each<[string, object, boolean]>([
    ['nobody', nobody, false],
    ['a candidate user', { ...nobody, candidateUsers: [user('a')] }, true],
    [
      'an excluded candidate user',
      { ...nobody, candidateUsers: [user('a')], excludedUsers: [user('a')] },
      false,
    ],
    [
      'one of two not excluded',
      { ...nobody, candidateUsers: [user('a'), user('b')], excludedUsers: [user('a')] },
      true,
    ],
    ['a group', { ...nobody, candidateGroups: [CLERKS], excludedUsers: [user('a')] }, true],
    ['a group to be enumerated', snapshot, false],
    ['a user beside such a group', { ...snapshot, candidateUsers: [user('a')] }, true],
  ])('with %s (UT-101, UT-390)', (_name, given, expected) => {
    const inputs = { ...aTask().task.inputs, ...given };

    expect(hasRoute({ inputs, membership: null })).toBe(expected);
  });

  it.each([
    ['several members', 3, 3, true],
    ['members who are excluded but for one', 3, 1, true],
    ['excluded members only', 3, 0, false],
    ['no members', 0, 0, false],
  ])('with %s of an enumerated group (UT-071, UT-101)', (_name, members, eligible, expected) => {
    const inputs = { ...aTask().task.inputs, membershipResolutionMode: 'Snapshot' as const };
    const membership = {
      snapshotId: 's',
      memberCount: members,
      eligibleCount: eligible,
      failedGroups: [],
    };

    expect(hasRoute({ inputs, membership })).toBe(expected);
  });
});

const SEVERITIES: Record<HealthCode, HealthIssue['severity']> = {
  'form-provider-missing': 'Blocking',
  'form-resolution-failed': 'Blocking',
  'snapshot-resolution-failed': 'Blocking',
  'snapshot-directory-missing': 'Blocking',
  'stale-transition': 'Advisory',
  'no-assignment': 'Advisory',
  'excluded-assignee': 'Advisory',
  'participant-display-unknown': 'Advisory',
  'ambiguous-record': 'Advisory',
};

describe('the issue that stands for all', () => {
  const issue = (severity: HealthIssue['severity'], message: string): HealthIssue => ({
    code: 'no-assignment',
    severity,
    message,
    since: CREATED_AT,
  });

  it('is the most severe, the oldest among equals (UT-165)', () => {
    const advisory = [issue('Advisory', 'first'), issue('Advisory', 'second')];
    const blocking = [issue('Blocking', 'third'), issue('Blocking', 'fourth')];

    expect(worstIssue([])).toBeNull();
    expect(worstIssue(advisory)?.message).toBe('first');
    expect(worstIssue([...advisory, ...blocking])?.message).toBe('third');
  });

  it.each(Object.entries(SEVERITIES))('%s is %s (UT-165)', (code, severity) => {
    const known = healthIssue(code as HealthCode, CREATED_AT);

    expect(known).toEqual({ code, severity, message: expect.any(String), since: CREATED_AT });
    expect(known.message).not.toBe('');
  });

  it('exists once for each code, the first time it was seen (UT-165)', () => {
    const issues = withIssue([], 'no-assignment', CREATED_AT);
    const again = withIssue(issues, 'no-assignment', later(CREATED_AT, 5));

    expect(again).toEqual([healthIssue('no-assignment', CREATED_AT)]);
    expect(withoutIssues(again, ['form-provider-missing'])).toEqual(again);
    expect(withoutIssues(again, ['no-assignment'])).toEqual([]);
  });
});

describe('the operations that a task remembers', () => {
  const record = (operationId: string, revision = 1): OperationRecord => ({
    ...aTask().claimedBy(clerk).record.operations[0]!,
    operationId,
    revision,
  });

  it('hold one record for each id, the latest', () => {
    const operations = withOperation(withOperation([record('a')], record('b')), record('a', 9));

    expect(operations.map(({ operationId, revision }) => [operationId, revision])).toEqual([
      ['b', 1],
      ['a', 9],
    ]);
  });

  it('are the newest ones', () => {
    const many = Array.from({ length: REMEMBERED_OPERATIONS }, (_, n) => record(`op-${n}`));
    const operations = withOperation(many, record('new'));

    expect(operations).toHaveLength(REMEMBERED_OPERATIONS);
    expect(operations[0]?.operationId).toBe('op-1');
    expect(operations.at(-1)?.operationId).toBe('new');
  });
});

describe('the codes of refusals', () => {
  it('are known each once, and nothing else is', () => {
    expect(new Set(REJECTION_CODES).size).toBe(REJECTION_CODES.length);
    expect(REJECTION_CODES.every(isRejectionCode)).toBe(true);
    expect([null, '', 'Terminal', 7].some(isRejectionCode)).toBe(false);
  });
});
