import {
  factsOf,
  mayReadEvents,
  mayReadProtected,
  mayReadSummary,
  NO_RELATIONSHIP,
  relationshipsOf,
  type Relationships,
  type TaskFacts,
} from '../../../domain/user-tasks/access';
import type { Actor, Person } from '../../../domain/user-tasks/actor';
import type { Entitlement } from '../../../domain/user-tasks/commands';
import type { Resolution } from '../../../domain/user-tasks/resolution';
import { TASK_STATUSES } from '../../../domain/user-tasks/task';
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
} from '../../builders/people';
import {
  codesOf,
  enumerating,
  notEnumerating,
  pinning,
  REVIEW_FORM,
} from '../../builders/resolution';
import { aTask, aTaskThatIs, type TaskBuilder } from '../../builders/task';

function is(
  task: TaskBuilder,
  actor: Actor,
  entitledBy: Entitlement | null = null,
): Partial<Relationships> {
  const all = Object.entries(relationshipsOf(task.task, actor, entitledBy));
  return Object.fromEntries(all.filter(([, holds]) => holds));
}

describe('what somebody is to a task', () => {
  it('is candidate by name or group, unless excluded (UT-063, UT-073)', () => {
    const task = aTask({ candidateUsers: [user('named')], excludedUsers: [colleague.subject] });

    expect(is(task, person('named'))).toEqual({ candidate: true });
    expect(is(task, clerk)).toEqual({ candidate: true });
    expect(is(task, colleague)).toEqual({});
    expect(is(task, outsider)).toEqual({});
  });

  it('is candidate of a live task by groups alone, whatever a leftover list says (UT-063, UT-069)', () => {
    expect(is(aTask(), clerk)).toEqual({ candidate: true });
    expect(is(aTask(), outsider, 'SnapshotMember')).toEqual({});
  });

  it('is candidate of a live task as long as the group is one’s own; an assignment stays (UT-065)', () => {
    const outOfGroup = { ...clerk, groups: [] };

    expect(is(aTask(), outOfGroup)).toEqual({});
    expect(is(aTask(), { ...outsider, groups: [CLERKS] })).toEqual({ candidate: true });
    expect(is(aTask().claimedBy(clerk), outOfGroup)).toMatchObject({ assignee: true });
  });

  it('is candidate of a snapshot by the enumerated list or by name, never by present groups (UT-066, UT-069)', () => {
    const task = aTask(
      { membershipResolutionMode: 'Snapshot', candidateUsers: [user('named')] },
      { resolution: enumerating(1) },
    );

    expect(is(task, clerk)).toEqual({});
    expect(is(task, outsider, 'SnapshotMember')).toEqual({ candidate: true });
    expect(is(task, person('named'))).toEqual({ candidate: true });
  });

  it('is no candidate of a snapshot when excluded, enumerated or not (UT-073)', () => {
    const task = aTask(
      { membershipResolutionMode: 'Snapshot', excludedUsers: [colleague.subject] },
      { resolution: enumerating(2, { eligibleCount: 1 }) },
    );

    expect(is(task, colleague, 'SnapshotMember')).toEqual({});
    expect(is(task, clerk, 'SnapshotMember')).toEqual({ candidate: true });
  });

  it('is nothing across tenants, whatever a list says (UT-062)', () => {
    const stranger = { ...clerk, subject: user('clerk', { tenantId: OTHER_TENANT }) };
    const task = aTask({ membershipResolutionMode: 'Snapshot' }, { resolution: enumerating(1) });

    expect(is(task, stranger, 'SnapshotMember')).toEqual({});
  });

  it('stays candidate whatever the state (UT-115)', () => {
    for (const status of TASK_STATUSES.filter((s) => s !== 'Unassigned')) {
      expect(is(aTaskThatIs(status), colleague)).toMatchObject({ candidate: true });
    }
  });

  it('matches within tenant, provider and type only (UT-051, UT-056)', () => {
    const task = aTask({ candidateUsers: [user('named')] });

    for (const other of [
      group('clerks', { provider: 'x' }),
      group('clerks', { tenantId: OTHER_TENANT }),
      user('clerks'),
      group('CLERKS'),
    ]) {
      expect(is(task, person('x', { groups: [other] }))).toEqual({});
    }
    expect(is(task, { ...clerk, subject: user('named', { provider: 'x' }), groups: [] })).toEqual(
      {},
    );
  });

  it('is nothing across tenants, for the system, and for a requester (UT-062, UT-209, UT-211)', () => {
    const task = aTask({ requester: outsider.subject, candidateUsers: [clerk.subject] });

    expect(is(task, { ...manager, subject: user('manager', { tenantId: OTHER_TENANT }) })).toEqual(
      {},
    );
    expect(relationshipsOf(task.task, { kind: 'system' })).toEqual(NO_RELATIONSHIP);
    expect(is(task, outsider)).toEqual({});
  });

  it('is assignee while holding it, former assignee afterwards (UT-210)', () => {
    const held = aTask().assignedTo(outsider.subject);

    expect(is(held, outsider)).toEqual({ assignee: true });
    expect(is(held.releasedBy(manager), outsider)).toEqual({ formerAssignee: true });
    expect(is(held.assignedTo(clerk.subject), outsider)).toEqual({ formerAssignee: true });
  });

  it('is still assignee of what closed in one’s hands, and completer of what one completed (UT-115, UT-210)', () => {
    expect(is(aTaskThatIs('TimedOut'), clerk)).toMatchObject({ assignee: true });
    expect(is(aTaskThatIs('TimedOut'), clerk)).not.toHaveProperty('completer');
    expect(is(aTaskThatIs('Completed'), clerk)).toMatchObject({ assignee: true, completer: true });
    expect(is(aTaskThatIs('Cancelled'), manager)).not.toHaveProperty('completer');
  });

  it('is actor after an accepted command, not after a refused one (UT-210)', () => {
    const exManager: Person = { ...manager, grants: [] };

    expect(is(aTask().rescheduled({ priority: 1 }), exManager)).toEqual({ actor: true });
    expect(is(aTask(), exManager)).toEqual({});
  });
});

const open: TaskFacts = {
  status: 'Assigned',
  blocked: false,
  cancellable: true,
  repairable: false,
};
const closed: TaskFacts = { ...open, status: 'Completed' };
const EVERY = Object.keys(NO_RELATIONSHIP) as (keyof Relationships)[];
const only = (relationship: keyof Relationships): Relationships => ({
  ...NO_RELATIONSHIP,
  [relationship]: true,
});

describe('reading', () => {
  it('the summary is for everybody with a relationship (UT-210)', () => {
    expect(EVERY.filter((relationship) => mayReadSummary(open, only(relationship)))).toEqual(EVERY);
    expect(mayReadSummary(open, NO_RELATIONSHIP)).toBe(false);
  });

  it('protected content is for managers and the assignee, once closed for managers and the completer (UT-210, UT-211)', () => {
    expect(EVERY.filter((relationship) => mayReadProtected(open, only(relationship)))).toEqual([
      'manager',
      'assignee',
    ]);
    expect(EVERY.filter((relationship) => mayReadProtected(closed, only(relationship)))).toEqual([
      'manager',
      'completer',
    ]);
  });

  it('protected content stays with the assignee through a transition (UT-211)', () => {
    const assignee = only('assignee');

    for (const status of ['Completing', 'TimingOut', 'Cancelling'] as const) {
      expect(mayReadProtected({ ...open, status }, assignee)).toBe(true);
    }
    for (const status of ['TimedOut', 'Cancelled', 'Completed'] as const) {
      expect(mayReadProtected({ ...open, status }, assignee)).toBe(false);
    }
  });

  it('a release withdraws protected content with the same commit (UT-211)', () => {
    const task = aTask().claimedBy(clerk);
    const may = ({ task: state }: TaskBuilder): boolean =>
      mayReadProtected(factsOf(state), relationshipsOf(state, clerk));

    expect(may(task)).toBe(true);
    expect(may(task.releasedBy(clerk))).toBe(false);
    expect(may(task.releasedBy(manager))).toBe(false);
  });

  it('the timeline is for managers, assignee and completer, of a closed task for former assignees too (UT-160)', () => {
    expect(EVERY.filter((relationship) => mayReadEvents(open, only(relationship)))).toEqual([
      'manager',
      'assignee',
      'completer',
    ]);
    expect(EVERY.filter((relationship) => mayReadEvents(closed, only(relationship)))).toEqual([
      'manager',
      'assignee',
      'completer',
      'formerAssignee',
    ]);
  });

  it('is for managers alone while an issue blocks (UT-164)', () => {
    for (const facts of [open, closed].map((f) => ({ ...f, blocked: true }))) {
      for (const may of [mayReadSummary, mayReadProtected, mayReadEvents]) {
        expect(EVERY.filter((relationship) => may(facts, only(relationship)))).toEqual(['manager']);
      }
    }
  });
});

describe('the facts of a task', () => {
  it('are its status, whether cancellation is enabled and what its issues mean', () => {
    const healthy = { blocked: false, repairable: false };

    expect(factsOf(aTask().task)).toEqual({ ...healthy, status: 'Available', cancellable: false });
    expect(factsOf(aTaskThatIs('Cancelled').task)).toEqual({
      ...healthy,
      status: 'Cancelled',
      cancellable: true,
    });
  });

  it('do not call an advisory issue blocking, nor repairable (UT-164, UT-218)', () => {
    const advisory = aTask({
      candidateGroups: [],
      assignee: clerk.subject,
      excludedUsers: [clerk.subject],
    }).task;

    expect(codesOf(advisory)).toEqual(['excluded-assignee', 'no-assignment']);
    expect(factsOf(advisory)).toMatchObject({ blocked: false, repairable: false });
  });

  it.each([
    ['form-provider-missing', unresolved({ form: { failure: 'form-provider-missing' } })],
    ['form-resolution-failed', unresolved({ form: { failure: 'form-resolution-failed' } })],
    ['snapshot-resolution-failed', unresolved(notEnumerating())],
    [
      'snapshot-directory-missing',
      unresolved(notEnumerating([CLERKS], {}, 'snapshot-directory-missing')),
    ],
  ])('call %s blocking and repairable (UT-164, UT-165, UT-218)', (code, { task }) => {
    expect(codesOf(task)).toContain(code);
    expect(factsOf(task)).toMatchObject({ blocked: true, repairable: true });
  });
});

/** A task with a form for the members of the clerks, of which something could not be resolved. */
function unresolved(failed: Partial<Resolution>): TaskBuilder {
  const resolution = { ...pinning(), ...enumerating(1), ...failed };
  return aTask({ form: REVIEW_FORM, membershipResolutionMode: 'Snapshot' }, { resolution });
}
