import { retryInProgress, retryNeeds } from '../../../../domain/user-tasks/decide/retry-resolution';
import type { PinnedForm } from '../../../../domain/user-tasks/form';
import type { HealthCode } from '../../../../domain/user-tasks/health';
import type { Resolution } from '../../../../domain/user-tasks/resolution';
import { TASK_STATUSES } from '../../../../domain/user-tasks/task';
import { cancel, claim, complete, retryResolution } from '../../../builders/commands';
import { clerk, CLERKS, group, manager, outsider, person, user } from '../../../builders/people';
import {
  codesOf,
  enumerating,
  notEnumerating,
  pinnedForm,
  pinning,
  REVIEW_FORM,
} from '../../../builders/resolution';
import { aTask, aTaskThatIs, outcomeOf, type TaskBuilder } from '../../../builders/task';

const MISSING = { form: { failure: 'form-provider-missing' } } as const;
const FAILED = { form: { failure: 'form-resolution-failed' } } as const;
const AUDITORS = group('auditors');

/** With a form and two groups to enumerate; everything well unless the resolution says otherwise. */
function raised(resolution: Partial<Resolution>, inputs: object = {}): TaskBuilder {
  const asked = { form: REVIEW_FORM, membershipResolutionMode: 'Snapshot' as const };
  return aTask(
    { ...asked, candidateGroups: [CLERKS, AUDITORS], enableCancellationOutcome: true, ...inputs },
    { resolution: { ...pinning(), ...enumerating(3), ...resolution } },
  );
}

describe('a retry of what could not be resolved', () => {
  it('is accepted at once, without event or revision, and in progress until it is answered (UT-167)', () => {
    const task = raised(MISSING).retrying({ operationId: 'again' });

    expect(task.revision).toBe(1);
    expect(task.events).toHaveLength(1);
    expect(retryInProgress(task.record)).toMatchObject({
      operationId: 'again',
      kind: 'RetryResolution',
      status: 'Accepted',
      subject: manager.subject,
      revision: 1,
    });
  });

  it('ends with one event by who asked, at the next revision, and its operation Completed (UT-136, UT-167)', () => {
    const before = raised(MISSING).retrying({ operationId: 'again' });
    const { events, record } = before.resolved(pinning());

    expect(events.slice(1)).toMatchObject([
      {
        kind: 'ResolutionRetried',
        revision: 2,
        actor: manager.subject,
        operationId: 'again',
        occurredAt: before.now,
      },
    ]);
    expect(record.operations).toMatchObject([
      { operationId: 'again', status: 'Completed', revision: 2, updatedAt: before.now },
    ]);
    expect(retryInProgress(record)).toBeNull();
  });

  it('is Completed too when the issue is still there (UT-167)', () => {
    const { record, task } = raised(MISSING).retrying().resolved(MISSING);

    expect(record.operations).toMatchObject([{ status: 'Completed', errorCode: null }]);
    expect(codesOf(task)).toEqual(['form-provider-missing']);
  });

  it('is accepted of a healthy task, which it leaves as it is (UT-070, UT-093)', () => {
    const healthy = raised({});
    const after = healthy.retrying().resolved({});

    expect(retryNeeds(healthy.record)).toBeNull();
    expect(after.task).toMatchObject({
      status: 'Available',
      form: healthy.task.form,
      membership: healthy.task.membership,
      health: [],
    });
  });

  it.each([
    ['a stranger', outsider],
    ['a candidate', clerk],
    ['who manages but for the grant', { ...manager, grants: ['user-tasks:assign'] }],
  ])('is denied to %s (UT-207, UT-210)', (_name, by) => {
    expect(outcomeOf(raised(MISSING).when(retryResolution, by))).toBe('permission-denied');
  });

  it('is one at a time, and answered again when it is repeated (UT-142)', () => {
    const task = raised(MISSING).retrying({ operationId: 'again', expectedRevision: 1 });
    const again = { operationId: 'again', expectedRevision: 1 };

    expect(outcomeOf(task.when(retryResolution, manager))).toBe('transition-in-progress');
    expect(outcomeOf(task.when(retryResolution, manager, again))).toBe('repeated');
    expect(outcomeOf(task.resolved(MISSING).when(retryResolution, manager, again))).toBe(
      'repeated',
    );
  });

  it('can be asked for once more after it was answered (UT-167)', () => {
    const task = raised(MISSING).retrying().resolved(MISSING);

    expect(codesOf(task.retrying().resolved(pinning()).task)).toEqual([]);
  });

  it('is refused as if there were no retry when none is in progress', () => {
    const decision = raised(MISSING).whenSystem({
      kind: 'resolve',
      resolution: { form: null, membership: null, dueAt: null },
    });

    expect(decision.kind).toBe('rejected');
  });

  it.each(
    TASK_STATUSES.filter((status) => !['Unassigned', 'Available', 'Assigned'].includes(status)),
  )('is refused of a task that is %s (UT-120)', (status) => {
    const code = ['Completed', 'TimedOut', 'Cancelled'].includes(status)
      ? 'terminal'
      : 'transition-in-progress';

    expect(outcomeOf(aTaskThatIs(status).when(retryResolution, manager))).toBe(code);
  });
});

describe('what a retry asks again', () => {
  it('is the original form and the original groups, as far as they are missing (UT-070, UT-093)', () => {
    const excludedUsers = [user('eve')];
    const groups = [CLERKS, AUDITORS];
    const base = { form: null, groups: [], excludedUsers, dueAt: null };
    const needsOf = (resolution: Partial<Resolution>): ReturnType<typeof retryNeeds> =>
      retryNeeds(raised(resolution, { excludedUsers }).record);

    expect(needsOf(MISSING)).toEqual({ ...base, form: REVIEW_FORM });
    expect(needsOf(notEnumerating([AUDITORS]))).toEqual({ ...base, groups });
    expect(needsOf(notEnumerating(groups, {}, 'snapshot-directory-missing'))).toEqual({
      ...base,
      groups,
    });
    expect(needsOf({ ...FAILED, ...notEnumerating() })).toEqual({
      ...base,
      form: REVIEW_FORM,
      groups,
    });
  });

  it('is nothing of a task that is closed or being closed (UT-107)', () => {
    const retrying = raised(MISSING).retrying();

    expect(retryNeeds(retrying.record)).not.toBeNull();
    expect(retryNeeds(retrying.cancelling().record)).toBeNull();
    expect(retryNeeds(retrying.withdrawn().record)).toBeNull();
  });
});

describe('the answer to a retry', () => {
  it('pins the form and clears its issue, so that workers see the task again (UT-093, UT-164, UT-167)', () => {
    const task = raised(MISSING);
    const claimed = { entitledBy: 'SnapshotMember' as const };

    expect(outcomeOf(task.when(claim, clerk, claimed))).toBe('not-found');
    const repaired = task.retrying().resolved(pinning());
    expect(repaired.task).toMatchObject({ form: pinnedForm(), health: [], status: 'Available' });
    expect(outcomeOf(repaired.when(claim, clerk, claimed))).toEqual(['Claimed']);
  });

  it.each<[string, Partial<Resolution>, Partial<Resolution>, HealthCode]>([
    ['missing before and now', MISSING, MISSING, 'form-provider-missing'],
    ['missing before and failing now', MISSING, FAILED, 'form-resolution-failed'],
    ['failing before and missing now', FAILED, MISSING, 'form-provider-missing'],
  ])('of a provider that is %s (UT-167)', (_name, before, after, code) => {
    const raisedSo = raised(before);
    const { task } = raisedSo.retrying().resolved(after);

    expect(codesOf(task)).toEqual([code]);
    expect(task.form).toBeNull();
  });

  it('keeps since when an issue is there, and dates a new one (UT-165)', () => {
    const task = raised(MISSING).retrying();
    const since = ({ task: { health } }: TaskBuilder): unknown => health[0]?.since;

    expect(since(task.resolved(MISSING))).toBe(task.task.createdAt);
    expect(since(task.resolved(FAILED))).toBe(task.now);
    expect(task.now).not.toBe(task.task.createdAt);
  });

  it('never replaces a form that is pinned (UT-086, UT-093)', () => {
    const newer: PinnedForm = pinnedForm({ pinnedVersion: '4' });
    const task = raised(notEnumerating()).retrying().resolved(pinning(newer));

    expect(task.task.form?.pinnedVersion).toBe('3');
  });

  it('takes the members that it found and clears the issue (UT-070)', () => {
    const { task } = raised(notEnumerating([AUDITORS], { memberCount: 2, eligibleCount: 2 }))
      .retrying()
      .resolved(enumerating(5, { snapshotId: 'members-2' }));

    expect(task.membership).toMatchObject({ snapshotId: 'members-2', memberCount: 5 });
    expect(task).toMatchObject({ health: [], status: 'Available' });
  });

  it('makes an unassigned task available by the members that it found (UT-390)', () => {
    const unreachable = raised(notEnumerating([CLERKS, AUDITORS]));

    expect(unreachable.task.status).toBe('Unassigned');
    expect(codesOf(unreachable.task)).toEqual(['snapshot-resolution-failed', 'no-assignment']);
    const { task, events } = unreachable.retrying().resolved(enumerating(2));
    expect(task).toMatchObject({ status: 'Available', health: [], revision: 2 });
    expect(events).toHaveLength(2);
  });

  it('leaves it unassigned, without blocking, when the members are nobody eligible (UT-071)', () => {
    const { task } = raised(notEnumerating([CLERKS, AUDITORS]))
      .retrying()
      .resolved(enumerating(2, { eligibleCount: 0 }));

    expect(task.status).toBe('Unassigned');
    expect(codesOf(task)).toEqual(['no-assignment']);
  });

  it('keeps the members found before when the directory fails for all of them (UT-067)', () => {
    const { task } = raised(notEnumerating([AUDITORS], { memberCount: 2, eligibleCount: 2 }))
      .retrying()
      .resolved(notEnumerating([CLERKS, AUDITORS], { snapshotId: 'members-2' }));

    expect(task.membership).toMatchObject({ snapshotId: 'members-1', memberCount: 2 });
    expect(task.status).toBe('Available');
    expect(codesOf(task)).toEqual(['snapshot-resolution-failed']);
  });

  it.each([
    ['as many groups fail', [AUDITORS], [CLERKS]],
    ['fewer groups fail', [AUDITORS, group('board')], [CLERKS]],
  ])(
    'keeps the members of a group found before when it fails now, although %s and more members are found (UT-067)',
    (_name, failedBefore, failedNow) => {
      const kept = { memberCount: 2, eligibleCount: 2 };
      const found = { snapshotId: 'members-2', memberCount: 90, eligibleCount: 90 };
      const { task } = raised(notEnumerating(failedBefore, kept))
        .retrying()
        .resolved(notEnumerating(failedNow, found));

      expect(task.membership?.snapshotId).toBe('members-1');
    },
  );

  it('takes what it found when fewer groups fail than before (UT-067, UT-070)', () => {
    const { task } = raised(notEnumerating([CLERKS, AUDITORS]))
      .retrying()
      .resolved(
        notEnumerating([AUDITORS], { snapshotId: 'members-2', memberCount: 1, eligibleCount: 1 }),
      );

    expect(task.membership?.snapshotId).toBe('members-2');
    expect(task.status).toBe('Available');
    expect(codesOf(task)).toEqual(['snapshot-resolution-failed']);
  });

  it('repairs one thing while another stays broken (UT-165)', () => {
    const broken = raised({ ...MISSING, ...notEnumerating([CLERKS, AUDITORS]) });

    expect(codesOf(broken.task)).toEqual([
      'form-provider-missing',
      'snapshot-resolution-failed',
      'no-assignment',
    ]);
    const { task } = broken.retrying().resolved({ ...MISSING, ...enumerating(1) });
    expect(codesOf(task)).toEqual(['form-provider-missing']);
    expect(task).toMatchObject({ status: 'Available', form: null });
  });

  it('leaves a holder in place (UT-065, UT-167)', () => {
    const held = raised(MISSING).assignedTo(outsider.subject);
    const { task } = held.retrying().resolved(pinning());

    expect(task).toMatchObject({ status: 'Assigned', holding: held.task.holding, health: [] });
  });

  it('takes a form that is too large or malformed for none (UT-393)', () => {
    const tooLarge = pinnedForm({ metadata: 'x'.repeat(262_144) });
    const { task } = raised(MISSING).retrying().resolved(pinning(tooLarge));

    expect(task.form).toBeNull();
    expect(codesOf(task)).toEqual(['form-resolution-failed']);
  });
});

describe('a task that ends while a retry is in progress', () => {
  it.each<[string, (task: TaskBuilder) => TaskBuilder]>([
    ['by its owner', (task) => task.withdrawn()],
    ['by a cancellation', (task) => task.cancelled()],
  ])(
    '%s has its terminal event as the last, and the retry is over (UT-003, UT-107)',
    (_name, end) => {
      const ended = end(raised(MISSING).retrying({ operationId: 'again' }));
      const after = ended.resolved(pinning());

      expect(after.task).toEqual(ended.task);
      expect(after.events).toEqual(ended.events);
      expect(after.record.operations).toContainEqual(
        expect.objectContaining({ operationId: 'again', status: 'Completed' }),
      );
    },
  );

  it('ends the transition that was accepted, not the retry (UT-112, UT-114)', () => {
    const closing = raised({}).claimedBy(person('x'), { entitledBy: 'SnapshotMember' }).retrying();
    const completing = closing.completing({ actionKey: 'Complete' }, person('x'));
    const operation = completing
      .finalised()
      .record.operations.find(({ kind }) => kind === 'Complete');

    expect(operation?.status).toBe('Completed');
    expect(retryInProgress(completing.finalised().record)).not.toBeNull();
    expect(completing.resolved({}).finalised().events.slice(-2)).toMatchObject([
      { kind: 'CompletionRequested', revision: 3 },
      { kind: 'Completed', revision: 4 },
    ]);
  });

  it('refuses nothing to others meanwhile (UT-167)', () => {
    const task = raised({}).retrying();

    expect(outcomeOf(task.when(cancel, manager))).toEqual(['CancellationRequested', 'Cancelled']);
    const claimed = task.claimedBy(clerk, { entitledBy: 'SnapshotMember' });
    expect(outcomeOf(claimed.when(complete, clerk))).toEqual(['CompletionRequested', 'Completed']);
  });
});
