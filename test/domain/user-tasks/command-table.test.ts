import {
  allowedActions,
  factsOf,
  relationshipsOf,
  VERB_RULES,
  type AllowedAction,
} from '../../../domain/user-tasks/access';
import type { Actor, Person } from '../../../domain/user-tasks/actor';
import {
  COMMAND_KINDS,
  type CommandKind,
  type TaskCommand,
} from '../../../domain/user-tasks/commands';
import type { Decision } from '../../../domain/user-tasks/decide/decision';
import { notificationsOf } from '../../../domain/user-tasks/notification';
import { OPERATION_KIND, OPERATION_KINDS } from '../../../domain/user-tasks/operation';
import { commandSignals, commandUpdates } from '../../../workflows/messages';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../builders/commands';
import { clerk, colleague, manager, MANAGER_GRANTS, outsider } from '../../builders/people';
import { pinning, REVIEW_FORM } from '../../builders/resolution';
import { aTask, CREATED_AT, later, outcomeOf, type TaskBuilder } from '../../builders/task';
import { NOTHING_RESOLVED } from '../../../domain/user-tasks/resolution';

interface Row {
  readonly grant: string;
  readonly allowed: AllowedAction;
  readonly operation: string;
  readonly events: readonly string[];
  readonly changedFields: readonly string[];
  readonly command: (by: Actor, expectedRevision: number) => TaskCommand;
  /** A task on which the senders may send it. */
  readonly before: () => TaskBuilder;
  readonly senders: readonly Person[];
}

const offered = (): TaskBuilder => aTask({ enableCancellationOutcome: true });
const held = (): TaskBuilder => offered().claimedBy(clerk);
const ailing = (): TaskBuilder =>
  aTask(
    { form: REVIEW_FORM },
    { resolution: { ...NOTHING_RESOLVED, form: { failure: 'form-provider-missing' } } },
  );

/** The catalogue's table, guests left out. */
const TABLE: Readonly<Record<CommandKind, Row>> = {
  claim: {
    grant: 'claim',
    allowed: 'claim',
    operation: 'Claim',
    events: ['Claimed'],
    changedFields: ['claim'],
    command: (by, expectedRevision) => claim(by, { expectedRevision }),
    before: offered,
    senders: [clerk, colleague],
  },
  release: {
    grant: 'claim',
    allowed: 'release',
    operation: 'Release',
    events: ['Released'],
    changedFields: ['release'],
    command: (by, expectedRevision) => release(by, { expectedRevision }),
    before: held,
    senders: [clerk, manager],
  },
  assign: {
    grant: 'assign',
    allowed: 'assign',
    operation: 'Assign',
    events: ['Assigned'],
    changedFields: ['assign'],
    command: (by, expectedRevision) => assign(by, { expectedRevision }),
    before: offered,
    senders: [manager],
  },
  update: {
    grant: 'update',
    allowed: 'update-scheduling',
    operation: 'ScheduleUpdate',
    events: ['ScheduleUpdated'],
    changedFields: ['scheduleUpdate'],
    command: (by, expectedRevision) => update(by, { expectedRevision, priority: 60 }),
    before: held,
    senders: [manager],
  },
  complete: {
    grant: 'complete',
    allowed: 'complete',
    operation: 'Complete',
    events: ['CompletionRequested', 'Completed'],
    changedFields: ['completionRequested'],
    command: (by, expectedRevision) => complete(by, { expectedRevision }),
    before: held,
    senders: [clerk],
  },
  cancel: {
    grant: 'cancel',
    allowed: 'cancel',
    operation: 'Cancel',
    events: ['CancellationRequested', 'Cancelled'],
    changedFields: ['cancellationRequested'],
    command: (by, expectedRevision) => cancel(by, { expectedRevision }),
    before: held,
    senders: [manager],
  },
  retryResolution: {
    grant: 'supervise',
    allowed: 'retry-resolution',
    operation: 'RetryResolution',
    events: ['ResolutionRetried'],
    changedFields: [],
    command: (by, expectedRevision) => retryResolution(by, { expectedRevision }),
    before: ailing,
    senders: [manager],
  },
};

const SYSTEM: Actor = { kind: 'system' };

function sent(task: TaskBuilder, row: Row, by: Actor): Decision {
  return task.whenSent(row.command(by, task.revision));
}

/** Kinds and changed fields of what has happened since. */
function happened(before: TaskBuilder, after: TaskBuilder) {
  const records = after.record.events.slice(before.record.events.length);
  return {
    events: records.map(({ kind }) => kind),
    changedFields: records.flatMap((event) =>
      notificationsOf(event).flatMap(({ changedFields }) => changedFields),
    ),
  };
}

describe.each(Object.entries(TABLE))('the command %s', (name, row) => {
  const kind = name as CommandKind;

  it('goes by one name, as update and as signal (UT-398, UT-399)', () => {
    expect(commandUpdates[kind].name).toBe(name);
    expect(commandSignals[kind].name).toBe(name);
  });

  it('is accepted from its senders, who are told that they may (UT-398, UT-218)', () => {
    for (const by of row.senders) {
      const task = row.before();
      const decision = sent(task, row, by);
      expect(decision).toMatchObject({ kind: 'accepted', operation: { kind: row.operation } });
      const facts = factsOf(task.task);
      expect(allowedActions(facts, relationshipsOf(task.task, by), by.grants)).toContain(
        row.allowed,
      );
    }
  });

  it('is refused to whoever is none of them, although their grants cover it (UT-398, UT-210)', () => {
    // Supervising would make managers of them.
    const grants = MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise');
    const task = row.before();
    for (const by of [clerk, colleague, outsider]) {
      if (row.senders.includes(by)) continue;
      const code = row.grant === 'supervise' ? 'permission-denied' : 'not-found';
      expect(outcomeOf(sent(task, row, { ...by, grants }))).toBe(code);
    }
  });

  it('needs its grant and no other (UT-398, UT-403)', () => {
    const permission = `user-tasks:${row.grant}`;
    expect(VERB_RULES[row.allowed].permission).toBe(permission);
    for (const by of row.senders) {
      const without = by.grants.filter((grant) => grant !== permission);
      expect(outcomeOf(sent(row.before(), row, { ...by, grants: without }))).toBe(
        'permission-denied',
      );
      const standing = by === manager ? ['user-tasks:supervise'] : [];
      const decision = sent(row.before(), row, { ...by, grants: [permission, ...standing] });
      expect(decision.kind).toBe('accepted');
    }
  });

  it('is kept under its operation kind, and leaves its events and changed fields (UT-398, UT-270)', () => {
    const before = row.before();
    const [by] = row.senders;
    if (by === undefined) throw new Error('nobody may send it');
    const accepted = before.after(sent(before, row, by));
    const after = kind === 'retryResolution' ? accepted.resolved(pinning()) : accepted;
    expect(happened(before, after)).toEqual({
      events: row.events,
      changedFields: row.changedFields,
    });
    expect(OPERATION_KIND[kind]).toBe(row.operation);
    expect(after.record.operations.at(-1)).toMatchObject({
      kind: row.operation,
      status: 'Completed',
    });
  });
});

describe('the table of commands', () => {
  it('names every command there is, and nothing else is an update or a signal (UT-398, UT-104)', () => {
    const names = Object.keys(TABLE).toSorted();
    expect([...COMMAND_KINDS].toSorted()).toEqual(names);
    expect(Object.keys(commandUpdates).toSorted()).toEqual(names);
    expect(Object.keys(commandSignals).toSorted()).toEqual(names);
    expect(
      Object.values(TABLE)
        .map(({ allowed }) => allowed)
        .toSorted(),
    ).toEqual(Object.keys(VERB_RULES).toSorted());
  });

  it("leaves expiring to the task's own timer, as Timeout, or without an operation (UT-398, UT-130)", () => {
    const due = { dueAt: later(CREATED_AT, 60) };
    const timed = aTask({ ...due, enableTimeoutOutcome: true });
    const timedOut = timed.timedOut();
    expect(happened(timed, timedOut)).toEqual({
      events: ['TimeoutRequested', 'TimedOut'],
      changedFields: ['timeoutRequested'],
    });
    expect(timedOut.record.operations).toMatchObject([{ kind: 'Timeout', subject: null }]);
    const patient = aTask(due);
    const overdue = patient.expired();
    expect(happened(patient, overdue)).toEqual({ events: ['OverdueNotified'], changedFields: [] });
    expect(overdue.record.operations).toEqual([]);
    expect(OPERATION_KINDS).toContain('Timeout');
  });

  it('tells an assignment from a reassignment (UT-398, UT-156)', () => {
    const first = held();
    const again = first.assignedTo(colleague.subject);
    expect(happened(first, again)).toEqual({ events: ['Reassigned'], changedFields: ['assign'] });
  });

  it('lets the system raise a priority by the same update, and has no escalation of its own (UT-134, UT-398)', () => {
    const task = aTask({ dueAt: later(CREATED_AT, 60) });
    const overdue = task.expired();
    expect(overdue.task).toMatchObject({ priority: 50, status: 'Available' });
    const raised = overdue.after(overdue.when(update, SYSTEM, { priority: 90 }));
    expect(happened(overdue, raised)).toEqual({
      events: ['ScheduleUpdated'],
      changedFields: ['scheduleUpdate'],
    });
    expect(raised.task).toMatchObject({
      priority: 90,
      status: 'Available',
      dueAt: task.task.dueAt,
    });
    expect(raised.record.operations.at(-1)).toMatchObject({
      kind: 'ScheduleUpdate',
      subject: null,
    });
  });
});
