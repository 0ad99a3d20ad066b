import type { Person } from '../../../../domain/user-tasks/actor';
import type { CommandKind } from '../../../../domain/user-tasks/commands';
import type { Decision } from '../../../../domain/user-tasks/decide/decision';
import { TASK_STATUSES, type TaskStatus } from '../../../../domain/user-tasks/task';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../../builders/commands';
import { clerk, CLERKS, group, manager, outsider, person, user } from '../../../builders/people';
import { aTask, CREATED_AT, later, outcomeOf, type TaskBuilder } from '../../../builders/task';

/** What somebody is to the task; each of them is one thing only, so that every cell of the table has one cause. */
const ROLES = {
  stranger: outsider,
  candidate: clerk,
  'excluded candidate': person('excluded', { groups: [CLERKS] }),
  assignee: person('assignee'),
  'former assignee': person('former'),
  manager,
} satisfies Record<string, Person>;
type Role = keyof typeof ROLES;

type Answer = string | readonly string[];
/** The answer at the present revision and at a stale one. */
type Row = readonly [current: Answer, stale: Answer];

/**
 * Section 9 of the catalogue: whom a command is for, and what they are answered in each state. Everybody else is told
 * that there is no such task, in every state and at every revision; that the permission is missing where it is the one
 * that makes a manager.
 */
interface Entry {
  readonly for: readonly Role[];
  readonly others?: 'permission-denied';
  readonly states: Record<TaskStatus, Row | 'nobody'>;
}

const NO_EVENT: Answer = [];
const CONFLICT = 'revision-conflict';
const IN_TRANSITION: Row = ['transition-in-progress', CONFLICT];
const CLOSED: Row = ['terminal', 'terminal'];
const CLOSING = { Completing: IN_TRANSITION, TimingOut: IN_TRANSITION, Cancelling: IN_TRANSITION };
const ENDED = { Completed: CLOSED, TimedOut: CLOSED, Cancelled: CLOSED };

const TABLE: Record<CommandKind, Entry> = {
  claim: {
    for: ['candidate'],
    states: {
      Unassigned: 'nobody',
      Available: [['Claimed'], CONFLICT],
      Assigned: ['not-claimable', CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
  release: {
    for: ['assignee', 'manager'],
    states: {
      Unassigned: ['not-assigned', CONFLICT],
      Available: ['not-assigned', CONFLICT],
      Assigned: [['Released'], CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
  assign: {
    for: ['manager'],
    states: {
      Unassigned: [['Assigned'], CONFLICT],
      Available: [['Assigned'], CONFLICT],
      Assigned: [['Reassigned'], CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
  update: {
    for: ['manager'],
    states: {
      Unassigned: [['ScheduleUpdated'], CONFLICT],
      Available: [['ScheduleUpdated'], CONFLICT],
      Assigned: [['ScheduleUpdated'], CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
  complete: {
    for: ['assignee'],
    states: {
      Unassigned: 'nobody',
      Available: 'nobody',
      Assigned: [['CompletionRequested', 'Completed'], CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
  cancel: {
    for: ['manager'],
    states: {
      Unassigned: [['CancellationRequested', 'Cancelled'], CONFLICT],
      Available: [['CancellationRequested', 'Cancelled'], CONFLICT],
      Assigned: [['CancellationRequested', 'Cancelled'], CONFLICT],
      Completing: ['transition-in-progress', 'transition-in-progress'],
      TimingOut: ['transition-in-progress', 'transition-in-progress'],
      Cancelling: ['transition-in-progress', 'transition-in-progress'],
      ...ENDED,
    },
  },
  // Accepted at once; its event comes when the outside world has answered.
  retryResolution: {
    for: ['manager'],
    others: 'permission-denied',
    states: {
      Unassigned: [NO_EVENT, CONFLICT],
      Available: [NO_EVENT, CONFLICT],
      Assigned: [NO_EVENT, CONFLICT],
      ...CLOSING,
      ...ENDED,
    },
  },
};

/** Held by the former assignee first and then, where the state has a holder, by the assignee. */
function taskThatIs(status: TaskStatus): TaskBuilder {
  const routes = status === 'Unassigned' ? { candidateGroups: [] } : {};
  const raised = aTask({
    ...routes,
    excludedUsers: [ROLES['excluded candidate'].subject],
    enableCancellationOutcome: true,
    enableTimeoutOutcome: true,
    dueAt: later(CREATED_AT, 600),
  }).assignedTo(ROLES['former assignee'].subject);
  if (status === 'Unassigned' || status === 'Available') return raised.releasedBy(manager);
  const held = raised.assignedTo(ROLES.assignee.subject);
  return {
    Assigned: () => held,
    Completing: () => held.completing({}, ROLES.assignee),
    TimingOut: () => held.timingOut(),
    Cancelling: () => held.cancelling(),
    Completed: () => held.completed({}, ROLES.assignee),
    TimedOut: () => held.timedOut(),
    Cancelled: () => held.cancelled(),
  }[status]();
}

function send(task: TaskBuilder, command: CommandKind, role: Role, stale: boolean): Decision {
  // Everybody holds every grant but the manager's own, so that only the relationship decides.
  const grants = manager.grants.filter(
    (grant) => role === 'manager' || grant !== 'user-tasks:supervise',
  );
  const actor: Person = { ...ROLES[role], grants };
  const revision = { expectedRevision: stale ? task.revision - 1 : task.revision };
  switch (command) {
    case 'claim':
      return task.when(claim, actor, revision);
    case 'release':
      return task.when(release, actor, revision);
    case 'assign':
      return task.when(assign, actor, { ...revision, assignee: user('somebody') });
    case 'update':
      return task.when(update, actor, { ...revision, priority: 80 });
    case 'complete':
      return task.when(complete, actor, revision);
    case 'cancel':
      return task.when(cancel, actor, revision);
    case 'retryResolution':
      return task.when(retryResolution, actor, revision);
  }
}

const cells = (Object.keys(TABLE) as CommandKind[]).flatMap((command) =>
  TASK_STATUSES.flatMap((state) =>
    (Object.keys(ROLES) as Role[]).flatMap((role) =>
      [false, true].map((stale) => {
        const { for: whom, others = 'not-found', states } = TABLE[command];
        const row = states[state];
        const permitted = whom.includes(role) && row !== 'nobody';
        const answer: Answer = permitted ? row[stale ? 1 : 0] : others;
        const revision = stale ? 'a stale' : 'the present';
        return { command, state, role, revision, stale, answer, because: JSON.stringify(answer) };
      }),
    ),
  ),
);

const exists = ({ role, state }: { role: Role; state: TaskStatus }): boolean =>
  !(role === 'assignee' && (state === 'Unassigned' || state === 'Available')) &&
  !(role === 'candidate' && state === 'Unassigned');

describe('commands by state, relationship and revision', () => {
  it.each(cells.filter(exists))(
    '$command of a task that is $state, by the $role at $revision revision: $because (UT-100..103, UT-106, UT-110, UT-115, UT-116, UT-120, UT-138, UT-394)',
    ({ command, state, role, stale, answer }) => {
      const task = taskThatIs(state);
      const decision = send(task, command, role, stale);

      expect(task.task.status).toBe(state);
      expect(outcomeOf(decision)).toEqual(answer);
      if (decision.kind === 'accepted') {
        const revisions = decision.events.map((event) => event.revision);
        expect(revisions).toEqual(decision.events.map((_, index) => task.revision + 1 + index));
      }
    },
  );
});

describe('the due timer by state', () => {
  it.each<[TaskStatus, Answer]>([
    ['Unassigned', ['TimeoutRequested']],
    ['Available', ['TimeoutRequested']],
    ['Assigned', ['TimeoutRequested']],
    ['Completing', 'transition-in-progress'],
    ['TimingOut', 'transition-in-progress'],
    ['Cancelling', 'transition-in-progress'],
    ['Completed', 'transition-in-progress'],
    ['TimedOut', 'transition-in-progress'],
    ['Cancelled', 'transition-in-progress'],
  ])('on a task that is %s brings %j (UT-104, UT-133)', (status, answer) => {
    const task = taskThatIs(status);
    const dueAt = task.task.dueAt!;

    expect(outcomeOf(task.at(dueAt).whenSystem({ kind: 'expire', dueAt }))).toEqual(answer);
  });
});

describe('the end of the owner by state', () => {
  it.each<[TaskStatus, Answer]>([
    ['Unassigned', ['Cancelled']],
    ['Available', ['Cancelled']],
    ['Assigned', ['Cancelled']],
    ['Completing', ['Completed']],
    ['TimingOut', ['TimedOut']],
    ['Cancelling', ['Cancelled']],
    ['Completed', 'terminal'],
    ['TimedOut', 'terminal'],
    ['Cancelled', 'terminal'],
  ])('on a task that is %s brings %j (UT-107, UT-114)', (status, answer) => {
    expect(outcomeOf(taskThatIs(status).whenSystem({ kind: 'withdraw', cause: 'owner' }))).toEqual(
      answer,
    );
  });
});

describe('an assignee who is a candidate too', () => {
  const task = aTask({ enableTimeoutOutcome: true, dueAt: later(CREATED_AT, 60) }).claimedBy(clerk);

  it('cannot claim again what is held (UT-115)', () => {
    expect(outcomeOf(task.when(claim, clerk))).toBe('not-claimable');
  });

  it('is told that the task is closed when a timeout was faster (UT-115)', () => {
    const closed = task.timedOut();

    expect(outcomeOf(closed.when(complete, clerk, { expectedRevision: task.revision }))).toBe(
      'terminal',
    );
    expect(outcomeOf(closed.when(release, clerk, { expectedRevision: task.revision }))).toBe(
      'terminal',
    );
  });
});

describe('a member of a group of another name', () => {
  it.each([[group('Clerks')], [group('clerks', { provider: 'other' })], [user('clerks')]])(
    'is a stranger (UT-051, UT-056, UT-115)',
    (other) => {
      expect(outcomeOf(aTask().when(claim, person('x', { groups: [other] })))).toBe('not-found');
    },
  );
});
