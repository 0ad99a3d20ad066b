import type { Instant } from '../../../../domain/instant';
import { create } from '../../../../domain/user-tasks/decide/create';
import { worstIssue, type HealthCode } from '../../../../domain/user-tasks/health';
import type { Resolution } from '../../../../domain/user-tasks/resolution';
import type { TaskStatus } from '../../../../domain/user-tasks/task';
import { assign, claim, complete, release, update } from '../../../builders/commands';
import { clerk, CLERKS, group, manager, outsider, user } from '../../../builders/people';
import {
  codesOf,
  enumerating,
  notEnumerating,
  pinnedForm,
  pinning,
  REVIEW_FORM,
} from '../../../builders/resolution';
import { aCreation, aTask, CREATED_AT, outcomeOf, type TaskBuilder } from '../../../builders/task';

describe('raising a task with a form', () => {
  const MISSING = { form: { failure: 'form-provider-missing' } } as const;
  const withForm = (resolution: Partial<Resolution>): TaskBuilder =>
    aTask({ form: REVIEW_FORM }, { resolution });

  it('pins the version that the provider named, for good (UT-085, UT-086)', () => {
    const { task } = withForm(pinning());

    expect(task.form).toEqual(pinnedForm());
    expect(task).toMatchObject({ status: 'Available', health: [] });
  });

  it('has none where none was asked for (UT-088)', () => {
    expect(aTask({}, { resolution: pinning() }).task.form).toBeNull();
  });

  it.each([['form-provider-missing'], ['form-resolution-failed']] as const)(
    'exists without it, for managers alone, when the answer is %s (UT-087, UT-164)',
    (failure) => {
      const { task } = withForm({ form: { failure } });

      expect(task).toMatchObject({ status: 'Available', form: null, revision: 1 });
      expect(task.health).toEqual([
        { code: failure, severity: 'Blocking', message: expect.any(String), since: CREATED_AT },
      ]);
    },
  );

  it.each<[string, object]>([
    ['of another key', pinnedForm({ requested: { ...REVIEW_FORM, key: 'other' } })],
    ['of another provider', pinnedForm({ requested: { ...REVIEW_FORM, providerName: 'x' } })],
    ['of another version', pinnedForm({ requested: { ...REVIEW_FORM, version: '2' } })],
    ['that does not say what it answers', { ...pinnedForm(), requested: undefined }],
  ])('pins no form %s (UT-088)', (_name, form) => {
    const { task } = withForm(pinning(form as never));

    expect(task.form).toBeNull();
    expect(codesOf(task)).toEqual(['form-resolution-failed']);
  });

  it('pins one of exactly 256 KiB with its metadata and none of a byte more (UT-393)', () => {
    const rest = JSON.stringify(pinnedForm({ metadata: '' })).length;
    const ofBytes = (bytes: number): TaskBuilder =>
      withForm(pinning(pinnedForm({ metadata: 'x'.repeat(bytes - rest) })));

    expect(ofBytes(262_144).task.form).not.toBeNull();
    expect(ofBytes(262_145).task.form).toBeNull();
    expect(codesOf(ofBytes(262_145).task)).toEqual(['form-resolution-failed']);
  });

  it.each<[string, object]>([
    ['without a version', { pinnedVersion: undefined }],
    ['with a version that is a number', { pinnedVersion: 3 }],
    ['without fields', { fields: undefined }],
    ['with a field that lacks its flags', { fields: [{ key: 'a', label: 'A', type: 'text' }] }],
    ['with a field that is a text', { fields: ['a'] }],
    ['with metadata that is no JSON', { metadata: () => 1 }],
  ])('pins none %s (UT-085, UT-087)', (_name, wrong) => {
    const { task } = withForm(pinning({ ...pinnedForm(), ...wrong }));

    expect(task.form).toBeNull();
    expect(codesOf(task)).toEqual(['form-resolution-failed']);
  });

  it('leaves candidates, holders and their submissions outside while an issue blocks (UT-164)', () => {
    const task = withForm(MISSING);
    const held = task.assignedTo(clerk.subject);

    expect(outcomeOf(task.when(claim, clerk))).toBe('not-found');
    expect(outcomeOf(held.when(complete, clerk))).toBe('not-found');
    expect(outcomeOf(held.when(release, clerk))).toBe('not-found');
  });

  it('leaves managers what is theirs while an issue blocks (UT-164)', () => {
    const held = withForm(MISSING).assignedTo(clerk.subject);
    const assignee = outsider.subject;

    expect(outcomeOf(held.when(assign, manager, { assignee }))).toEqual(['Reassigned']);
    expect(outcomeOf(held.when(update, manager, { priority: 1 }))).toEqual(['ScheduleUpdated']);
    expect(outcomeOf(held.when(release, manager))).toEqual(['Released']);
  });

  it('keeps blocking while it is assigned and released (UT-164)', () => {
    const task = withForm(MISSING).assignedTo(clerk.subject).releasedBy(manager);

    expect(codesOf(task.task)).toEqual(['form-provider-missing']);
  });
});

describe('raising a task for the members of groups', () => {
  const AUDITORS = group('auditors');
  const snapshot = (resolution: Partial<Resolution>, inputs: object = {}): TaskBuilder =>
    aTask({ membershipResolutionMode: 'Snapshot', ...inputs }, { resolution });
  const named = { candidateUsers: [user('named')] };
  const kept = { memberCount: 2, eligibleCount: 2 };
  const both = { candidateGroups: [CLERKS, AUDITORS] };

  it('keeps the list that was found, beside the groups it came from (UT-066)', () => {
    const { task } = snapshot(enumerating(3));

    expect(task).toMatchObject({ status: 'Available', health: [] });
    expect(task.membership).toMatchObject({ snapshotId: 'members-1', memberCount: 3 });
    expect(task.inputs.candidateGroups).toEqual([CLERKS]);
  });

  it('needs no directory for users alone (UT-068)', () => {
    const { task } = snapshot({}, { ...named, candidateGroups: [] });

    expect(task).toMatchObject({ status: 'Available', membership: null, health: [] });
  });

  const DIRECTORY = 'snapshot-directory-missing';
  const FAILED = 'snapshot-resolution-failed';
  const missing = notEnumerating([CLERKS], {}, DIRECTORY);
  const holder = { assignee: clerk.subject };
  it.each<[string, TaskBuilder, TaskStatus, HealthCode[]]>([
    ['every group failed', snapshot(notEnumerating()), 'Unassigned', [FAILED, 'no-assignment']],
    ['there is no directory', snapshot(missing), 'Unassigned', [DIRECTORY, 'no-assignment']],
    ['a member is left', snapshot(notEnumerating([AUDITORS], kept), both), 'Available', [FAILED]],
    ['a user is left', snapshot(notEnumerating(), named), 'Available', [FAILED]],
    ['it has an assignee', snapshot(notEnumerating(), holder), 'Assigned', [FAILED]],
  ])(
    'exists, for managers alone, when enumeration failed and %s (UT-067, UT-390)',
    (_name, { task }, status, codes) => {
      expect(task).toMatchObject({ status, revision: 1 });
      expect(codesOf(task)).toEqual(codes);
      expect(worstIssue(task.health)?.severity).toBe('Blocking');
    },
  );

  it('keeps the members of groups that did resolve (UT-067)', () => {
    const { task } = snapshot(notEnumerating([AUDITORS], kept), both);

    expect(task.membership).toMatchObject({ ...kept, failedGroups: [AUDITORS] });
  });

  it.each([
    ['has no members', enumerating(0)],
    ['has excluded members only', enumerating(2, { eligibleCount: 0 })],
  ])('is Unassigned, not blocked, when the group %s (UT-071)', (_name, resolution) => {
    const { task } = snapshot(resolution);

    expect(task.status).toBe('Unassigned');
    expect(codesOf(task)).toEqual(['no-assignment']);
  });

  it('goes back to nobody when it is released and the list has nobody eligible (UT-071, UT-101)', () => {
    const { task } = snapshot(enumerating(0)).assignedTo(clerk.subject).releasedBy(manager);

    expect(task.status).toBe('Unassigned');
    expect(codesOf(task)).toEqual(['no-assignment']);
  });
});

describe('raising a task with several things wrong', () => {
  it('tells all of them, in one event, the most severe first in a summary (UT-025, UT-165)', () => {
    const { task, events } = aTask(
      {
        form: REVIEW_FORM,
        membershipResolutionMode: 'Snapshot',
        assignee: clerk.subject,
        excludedUsers: [clerk.subject],
      },
      { resolution: { form: { failure: 'form-resolution-failed' }, ...notEnumerating() } },
    );

    expect(codesOf(task)).toEqual([
      'form-resolution-failed',
      'snapshot-resolution-failed',
      'excluded-assignee',
      'no-assignment',
    ]);
    expect(events).toHaveLength(1);
    expect(worstIssue(task.health)?.code).toBe('form-resolution-failed');
  });
});

describe('raising a task that is due by a local date', () => {
  const dueAt = { localDate: '2026-12-24', timeZone: 'Europe/Berlin' };

  it('is due at the instant that was resolved (UT-123)', () => {
    const resolution = { dueAt: '2026-12-24T23:00:00.000Z' as Instant };
    const { task } = aTask({ dueAt: dueAt as never }, { resolution });

    expect(task.dueAt).toBe('2026-12-24T23:00:00.000Z');
    expect(task.inputs.dueAt).toBe('2026-12-24T23:00:00.000Z');
  });

  it('is refused when there is no such date or zone (UT-032)', () => {
    expect(create(aCreation({ dueAt }, { resolution: { dueAt: 'invalid' } }))).toMatchObject({
      code: 'invalid-definition',
    });
  });
});
