import {
  allowedActions,
  factsOf,
  NO_RELATIONSHIP,
  relationshipsOf,
  type AllowedAction,
  type Relationships,
  type TaskFacts,
} from '../../../domain/user-tasks/access';
import type { Person } from '../../../domain/user-tasks/actor';
import { TASK_STATUSES, type TaskStatus } from '../../../domain/user-tasks/task';
import {
  clerk,
  CLERKS,
  colleague,
  manager,
  MANAGER_GRANTS,
  outsider,
  person,
} from '../../builders/people';
import { pinning, REVIEW_FORM } from '../../builders/resolution';
import { aTask, aTaskThatIs, type TaskBuilder } from '../../builders/task';

const open: TaskFacts = {
  status: 'Assigned',
  blocked: false,
  cancellable: true,
  repairable: false,
};
const only = (relationship: keyof Relationships): Relationships => ({
  ...NO_RELATIONSHIP,
  [relationship]: true,
});

const MANAGES: readonly AllowedAction[] = ['assign', 'update-scheduling', 'cancel'];

/** UT-218 without invitations, for a healthy task: what is offered to a candidate, an assignee and a manager. */
const OFFERS: Record<
  TaskStatus,
  Record<'candidate' | 'assignee' | 'manager', readonly AllowedAction[]>
> = {
  Unassigned: { candidate: [], assignee: [], manager: MANAGES },
  Available: { candidate: ['claim'], assignee: [], manager: MANAGES },
  Assigned: { candidate: [], assignee: ['release', 'complete'], manager: ['release', ...MANAGES] },
  Completing: { candidate: [], assignee: [], manager: [] },
  TimingOut: { candidate: [], assignee: [], manager: [] },
  Cancelling: { candidate: [], assignee: [], manager: [] },
  Completed: { candidate: [], assignee: [], manager: [] },
  TimedOut: { candidate: [], assignee: [], manager: [] },
  Cancelled: { candidate: [], assignee: [], manager: [] },
};

function offeredTo(task: TaskBuilder, by: Person): readonly AllowedAction[] {
  return [...allowedActions(factsOf(task.task), relationshipsOf(task.task, by), by.grants)].sort();
}

describe('allowed actions', () => {
  const everyGrant = MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise');
  const roles = {
    candidate: { ...colleague, grants: everyGrant },
    assignee: { ...clerk, groups: [], grants: everyGrant },
    manager,
  };

  it.each(
    TASK_STATUSES.flatMap((status) =>
      (['candidate', 'assignee', 'manager'] as const).map((role) => ({
        status,
        role,
        offers: OFFERS[status][role],
      })),
    ),
  )(
    'of a task that is $status, for its $role, are $offers (UT-218)',
    ({ status, role, offers }) => {
      const task = aTaskThatIs(status, { enableCancellationOutcome: true });

      expect(offeredTo(task, roles[role])).toEqual([...offers].sort());
    },
  );

  it('never hold cancel where the step did not enable it (UT-218)', () => {
    expect(offeredTo(aTask(), manager)).toEqual(['assign', 'update-scheduling']);
  });

  it.each([
    ['release', 'claim'],
    ['assign', 'assign'],
    ['update-scheduling', 'update'],
    ['complete', 'complete'],
    ['cancel', 'cancel'],
  ])('hold %s only with the grant for %s (UT-218)', (action, verb) => {
    const task = aTask({ enableCancellationOutcome: true }).assignedTo(manager.subject);
    const grants = ['user-tasks:supervise', `user-tasks:${verb}`];

    expect(offeredTo(task, { ...manager, grants })).toEqual([action]);
  });

  it('hold claim only with its grant (UT-218)', () => {
    expect(offeredTo(aTask(), { ...clerk, grants: ['user-tasks:claim'] })).toEqual(['claim']);
    expect(offeredTo(aTask(), { ...clerk, grants: ['user-tasks:complete'] })).toEqual([]);
  });

  it('are the union for who is several things (UT-218)', () => {
    const both = { ...manager, groups: [CLERKS] };

    expect(offeredTo(aTask(), both)).toEqual(['assign', 'claim', 'update-scheduling']);
    expect(offeredTo(aTask().claimedBy(both), both)).toEqual([
      'assign',
      'complete',
      'release',
      'update-scheduling',
    ]);
  });

  it('are nothing for a stranger, an excluded candidate and a former assignee (UT-218)', () => {
    const task = aTask({ excludedUsers: [colleague.subject] })
      .assignedTo(outsider.subject)
      .releasedBy(manager);

    for (const somebody of [person('x'), colleague, outsider])
      expect(offeredTo(task, somebody)).toEqual([]);
  });

  it.each(TASK_STATUSES)(
    'hold retry-resolution for managers alone and only with a repairable issue, of a task that is %s (UT-218)',
    (status) => {
      const isOpen = ['Unassigned', 'Available', 'Assigned'].includes(status);
      const all: Relationships = { ...only('manager'), candidate: true, assignee: true };
      const offered = (repairable: boolean, to: Relationships): boolean =>
        allowedActions({ ...open, status, repairable }, to, MANAGER_GRANTS).includes(
          'retry-resolution',
        );

      expect(offered(true, all)).toBe(isOpen);
      expect(offered(true, { ...all, manager: false })).toBe(false);
      expect(offered(false, all)).toBe(false);
    },
  );

  it('hold retry-resolution of a task with an issue until it is repaired (UT-218)', () => {
    const task = aTask(
      { form: REVIEW_FORM },
      { resolution: { form: { failure: 'form-provider-missing' } } },
    );

    expect(offeredTo(task, manager)).toContain('retry-resolution');
    expect(offeredTo(task.retrying().resolved(pinning()), manager)).not.toContain(
      'retry-resolution',
    );
  });

  it('are managers’ entries alone while an issue blocks (UT-164, UT-218)', () => {
    const all: Relationships = { ...only('manager'), candidate: true, assignee: true };
    const facts = (status: TaskStatus): TaskFacts => ({ ...open, status, blocked: true });
    const withRepair = (status: TaskStatus): TaskFacts => ({ ...facts(status), repairable: true });

    expect([...allowedActions(withRepair('Available'), all, MANAGER_GRANTS)].sort()).toEqual(
      [...MANAGES, 'retry-resolution'].sort(),
    );
    expect([...allowedActions(facts('Assigned'), all, MANAGER_GRANTS)].sort()).toEqual(
      ['release', ...MANAGES].sort(),
    );
    for (const relationship of ['candidate', 'assignee'] as const) {
      for (const status of TASK_STATUSES) {
        expect(allowedActions(withRepair(status), only(relationship), MANAGER_GRANTS)).toEqual([]);
      }
    }
  });
});
