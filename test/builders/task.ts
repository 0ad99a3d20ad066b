import { instantOf, millisOf, type Instant } from '../../domain/instant';
import { taskIdOf } from '../../domain/ids';
import type { Actor } from '../../domain/user-tasks/actor';
import type { SystemCommand, TaskCommand } from '../../domain/user-tasks/commands';
import { create, type Creation } from '../../domain/user-tasks/decide/create';
import {
  applyDecision,
  decide,
  decideSystem,
  startRecord,
} from '../../domain/user-tasks/decide/decide';
import type { Decision, TaskRecord } from '../../domain/user-tasks/decide/decision';
import { isRejection, type TaskInputs } from '../../domain/user-tasks/definition';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { NOTHING_RESOLVED, type Resolution } from '../../domain/user-tasks/resolution';
import type {
  CreatedEvent,
  TaskEvent,
  TaskOwner,
  TaskState,
  TaskStatus,
} from '../../domain/user-tasks/task';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
  type CommandBuilder,
  type Overrides,
} from './commands';
import { clerk, CLERKS, manager, TENANT } from './people';

/** When the tasks of tests are created; each accepted step comes a minute after the one before. */
export const CREATED_AT = '2026-03-02T09:00:00.000Z' as Instant;
export const TASK_ID = taskIdOf('6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55');
const MINUTE_MS = 60_000;

export const OWNER: TaskOwner = {
  workflowId: 'invoice-4711',
  runId: '2c1d0a94-8f61-4b0f-9d35-9c6f2a0b7e11',
  activityInstanceId: 'approve',
  definitionId: 'invoiceApproval',
  definitionName: 'Invoice approval',
  definitionVersion: null,
  instanceReference: 'INV-4711',
};

/** The instant so many minutes after `instant`. */
export function later(instant: Instant, minutes: number): Instant {
  return instantOf(millisOf(instant) + minutes * MINUTE_MS);
}

/** What a test may say of a creation beside the inputs. */
interface CreationOverrides extends Partial<Omit<Creation, 'resolution'>> {
  readonly resolution?: Partial<Resolution>;
}

/** A creation by a workflow: offered to the clerks and asking nothing outside unless the inputs say otherwise. */
export function aCreation(inputs: unknown = {}, overrides: CreationOverrides = {}): Creation {
  const given = { title: 'Approve invoice 4711', candidateGroups: [CLERKS] };
  return {
    tenantId: TENANT,
    taskId: TASK_ID,
    owner: OWNER,
    inputs: { ...given, ...(inputs as object) },
    now: CREATED_AT,
    ...overrides,
    resolution: { ...NOTHING_RESOLVED, ...overrides.resolution },
  };
}

/** A task just raised; every later state is reached by commands that it accepts. */
export function aTask(
  inputs: Partial<TaskInputs> = {},
  overrides: CreationOverrides = {},
): TaskBuilder {
  const event = create(aCreation(inputs, overrides));
  if (isRejection(event)) throw new Error(`no such task: ${event.code}: ${event.detail}`);
  return new TaskBuilder(startRecord(event), [event], event.occurredAt);
}

/** A task of the status in its shortest history: claimed by the clerk wherever somebody may hold it. */
export function aTaskThatIs(status: TaskStatus, inputs: Partial<TaskInputs> = {}): TaskBuilder {
  const build = {
    Unassigned: () => aTask({ candidateGroups: [], ...inputs }),
    Available: () => aTask(inputs),
    Assigned: () => aTask(inputs).claimedBy(clerk),
    Completing: () => aTask(inputs).claimedBy(clerk).completing(),
    TimingOut: () => timed(inputs).claimedBy(clerk).timingOut(),
    Cancelling: () =>
      aTask({ enableCancellationOutcome: true, ...inputs })
        .claimedBy(clerk)
        .cancelling(),
    Completed: () => aTask(inputs).claimedBy(clerk).completed(),
    TimedOut: () => timed(inputs).claimedBy(clerk).timedOut(),
    Cancelled: () =>
      aTask({ enableCancellationOutcome: true, ...inputs })
        .claimedBy(clerk)
        .cancelled(),
  } satisfies Record<TaskStatus, () => TaskBuilder>;
  return build[status]();
}

function timed(inputs: Partial<TaskInputs>): TaskBuilder {
  return aTask({ dueAt: later(CREATED_AT, 60), enableTimeoutOutcome: true, ...inputs });
}

interface Circumstances {
  readonly now?: Instant;
  readonly canClose?: boolean;
}

/** A task with the events that led to it. Every method gives a new one, so a test can branch off. */
export class TaskBuilder {
  readonly record: TaskRecord;
  readonly events: readonly TaskEvent[];
  /** When the next command is decided. */
  readonly now: Instant;

  constructor(record: TaskRecord, events: readonly TaskEvent[], now: Instant) {
    this.record = record;
    this.events = events;
    this.now = now;
  }

  get task(): TaskState {
    return this.record.task;
  }

  get revision(): number {
    return this.task.revision;
  }

  get createdEvent(): CreatedEvent {
    return this.events[0] as CreatedEvent;
  }

  /** The same task, later. */
  at(now: Instant): TaskBuilder {
    return new TaskBuilder(this.record, this.events, now);
  }

  /** What the task would answer to the command; the present revision unless the overrides name one. */
  when<C extends TaskCommand>(
    verb: CommandBuilder<C>,
    by: Actor,
    overrides?: Overrides<C>,
    circumstances: Circumstances = {},
  ): Decision {
    const command = verb(by, { expectedRevision: this.revision, ...overrides } as Overrides<C>);
    return this.whenSent(command, circumstances);
  }

  /** What the task would answer to this very command. */
  whenSent(command: TaskCommand, circumstances: Circumstances = {}): Decision {
    return decide(this.record, command, { now: this.now, canClose: true, ...circumstances });
  }

  /** What the task would tell itself. */
  whenSystem(command: SystemCommand): Decision {
    return decideSystem(this.record, command, { now: this.now, canClose: true });
  }

  /** The task after a decision, which must have been accepted. */
  after(decision: Decision): TaskBuilder {
    if (decision.kind !== 'accepted') {
      throw new Error(`the step is not accepted but ${JSON.stringify(outcomeOf(decision))}`);
    }
    const record = applyDecision(this.record, decision);
    return new TaskBuilder(record, [...this.events, ...decision.events], later(this.now, 1));
  }

  claimedBy(by: Actor, overrides?: Overrides<ReturnType<typeof claim>>): TaskBuilder {
    return this.after(this.when(claim, by, overrides));
  }

  releasedBy(by: Actor, overrides?: Overrides<ReturnType<typeof release>>): TaskBuilder {
    return this.after(this.when(release, by, overrides));
  }

  /** Assigned by a manager. */
  assignedTo(
    assignee: ParticipantReference,
    overrides?: Overrides<ReturnType<typeof assign>>,
  ): TaskBuilder {
    return this.after(this.when(assign, manager, { assignee, ...overrides }));
  }

  rescheduled(overrides: Overrides<ReturnType<typeof update>>): TaskBuilder {
    return this.after(this.when(update, manager, overrides));
  }

  /** Its completion is accepted while something still waits to be projected. */
  completing(overrides?: Overrides<ReturnType<typeof complete>>, by: Actor = clerk): TaskBuilder {
    return this.after(this.when(complete, by, overrides, { canClose: false }));
  }

  completed(overrides?: Overrides<ReturnType<typeof complete>>, by: Actor = clerk): TaskBuilder {
    return this.after(this.when(complete, by, overrides));
  }

  /** Cancelled by a manager, not closed yet. */
  cancelling(overrides?: Overrides<ReturnType<typeof cancel>>): TaskBuilder {
    return this.after(this.when(cancel, manager, overrides, { canClose: false }));
  }

  cancelled(overrides?: Overrides<ReturnType<typeof cancel>>): TaskBuilder {
    return this.after(this.when(cancel, manager, overrides));
  }

  /** Its due date elapses: announced as overdue, or timing out where the step enabled it. */
  expired(): TaskBuilder {
    const { dueAt } = this.task;
    if (dueAt === null) throw new Error('the task has no due date');
    const due = dueAt > this.now ? this.at(dueAt) : this;
    return due.after(due.whenSystem({ kind: 'expire', dueAt }));
  }

  timingOut(): TaskBuilder {
    return this.expired();
  }

  timedOut(): TaskBuilder {
    return this.expired().finalised();
  }

  /** A manager has asked to resolve again what could not be resolved. */
  retrying(overrides?: Overrides<ReturnType<typeof retryResolution>>): TaskBuilder {
    return this.after(this.when(retryResolution, manager, overrides));
  }

  /** The outside world has answered to the retry. */
  resolved(resolution: Partial<Resolution>): TaskBuilder {
    const answer = { ...NOTHING_RESOLVED, ...resolution };
    return this.after(this.whenSystem({ kind: 'resolve', resolution: answer }));
  }

  /** The transition ends. */
  finalised(): TaskBuilder {
    return this.after(this.whenSystem({ kind: 'finalise' }));
  }

  /** The owner ended or gave up its wait, unless another cause is named. */
  withdrawn(cause: 'owner' | 'terminated' = 'owner'): TaskBuilder {
    return this.after(this.whenSystem({ kind: 'withdraw', cause }));
  }
}

/** The answer in short: the code of a refusal, the kinds of the events that were accepted, or `repeated`. */
export function outcomeOf(decision: Decision): string | readonly string[] {
  switch (decision.kind) {
    case 'accepted':
      return decision.events.map((event) => event.kind);
    case 'rejected':
      return decision.rejection.code;
    case 'repeated':
      return 'repeated';
  }
}
