import { assertNever } from '../assert-never';
import { millisOf, type Instant } from '../instant';
import type { TaskId } from '../ids';
import type { Json } from '../json';
import type { RESERVED_ACTIONS } from './action';
import type { TaskInputs } from './definition';
import type { PinnedForm } from './form';
import { withIssue, withoutIssues, type HealthCode, type HealthIssue } from './health';
import { isAmong, isSameParticipant, type ParticipantReference } from './participant';
import type { MembershipSnapshot } from './resolution';

/** The workflow execution and step that raised the task and awaits its answer. @see UT-022, UT-383 */
export interface TaskOwner {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityInstanceId: string;
  readonly definitionId: string;
  readonly definitionName: string;
  readonly definitionVersion: string | null;
  readonly instanceReference: string | null;
}

/** What the owner receives, decided with the terminal command. @see UT-261 */
export interface Outcome {
  readonly actionKey: string;
  /** Normalised completion data, or null. Protected. */
  readonly data: Json;
  readonly completedBy: ParticipantReference | null;
}

/** Why a task was cancelled: by its owner's end, by a manager, or because the workflow was ended from outside. @see UT-396 */
export type CancellationCause = 'owner' | 'manager' | 'terminated';

interface TaskCore {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly inputs: TaskInputs;
  readonly owner: TaskOwner;
  /** The provider's form, pinned; null where the task has none or it could not be resolved yet. Protected. */
  readonly form: PinnedForm | null;
  /** Who the candidate groups' members were, for Snapshot membership; else null. */
  readonly membership: MembershipSnapshot | null;
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly priority: number;
  readonly dueAt: Instant | null;
  /** Whether the present overdue occurrence has been announced. @see UT-127, UT-128 */
  readonly overdueNotified: boolean;
  readonly health: readonly HealthIssue[];
  /** Everyone who held it before its present assignee, each once. */
  readonly formerAssignees: readonly ParticipantReference[];
  /** Everyone whose command was accepted, each once: they may read the summary. @see UT-210 */
  readonly actors: readonly ParticipantReference[];
}

/** The one participant answerable for the task and since when. */
export interface Holding {
  readonly assignee: ParticipantReference;
  readonly assignedAt: Instant;
}

/** State by status, so that an assigned task without assignee cannot be written. @see UT-009 */
export type TaskState = TaskCore &
  (
    | {
        readonly status: 'Unassigned' | 'Available';
        readonly holding: null;
        readonly outcome: null;
        readonly completedAt: null;
      }
    | {
        readonly status: 'Assigned';
        readonly holding: Holding;
        readonly outcome: null;
        readonly completedAt: null;
      }
    | {
        readonly status: 'Completing';
        readonly holding: Holding;
        readonly outcome: Outcome;
        readonly completedAt: null;
      }
    | {
        readonly status: 'TimingOut' | 'Cancelling';
        readonly holding: Holding | null;
        readonly outcome: Outcome;
        readonly completedAt: null;
      }
    | {
        readonly status: 'Completed';
        readonly holding: Holding;
        readonly outcome: Outcome;
        readonly completedAt: Instant;
      }
    | {
        readonly status: 'TimedOut' | 'Cancelled';
        readonly holding: Holding | null;
        readonly outcome: Outcome;
        readonly completedAt: Instant;
      }
  );

export type TaskStatus = TaskState['status'];

export const OPEN_STATUSES = [
  'Unassigned',
  'Available',
  'Assigned',
] as const satisfies readonly TaskStatus[];
export const TRANSITIONAL_STATUSES = [
  'Completing',
  'TimingOut',
  'Cancelling',
] as const satisfies readonly TaskStatus[];
export const TERMINAL_STATUSES = [
  'Completed',
  'TimedOut',
  'Cancelled',
] as const satisfies readonly TaskStatus[];
export const TASK_STATUSES = [
  ...OPEN_STATUSES,
  ...TRANSITIONAL_STATUSES,
  ...TERMINAL_STATUSES,
] as const;

export function isTerminal(status: TaskStatus): boolean {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}

export function isTransitional(status: TaskStatus): boolean {
  return TRANSITIONAL_STATUSES.some((transitional) => transitional === status);
}

interface EventBase {
  /** Revision that the task has once the event is applied. */
  readonly revision: number;
  readonly occurredAt: Instant;
  /** Null for the system. */
  readonly actor: ParticipantReference | null;
  readonly operationId: string | null;
  /** What the actor gave as reason; never shown by the API's timeline. @see UT-158 */
  readonly reason: string | null;
}

/** The frozen start of a task: the only event that holds its inputs. */
export interface CreatedEvent extends EventBase {
  readonly kind: 'Created';
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly inputs: TaskInputs;
  readonly owner: TaskOwner;
  readonly form: PinnedForm | null;
  readonly membership: MembershipSnapshot | null;
  readonly status: 'Unassigned' | 'Available' | 'Assigned';
  readonly health: readonly HealthIssue[];
}

/**
 * What has happened to the task after it was created: one accepted transition each, one revision each.
 * @see UT-154, UT-155
 */
export type TransitionEvent = EventBase &
  (
    | { readonly kind: 'Claimed'; readonly assignee: ParticipantReference }
    | { readonly kind: 'Released' }
    | {
        readonly kind: 'Assigned' | 'Reassigned';
        readonly assignee: ParticipantReference;
        readonly exclusionOverridden: boolean;
      }
    | {
        readonly kind: 'ScheduleUpdated';
        readonly priority: number;
        readonly dueAt: Instant | null;
        readonly changed: readonly ('priority' | 'dueAt')[];
      }
    | { readonly kind: 'OverdueNotified' }
    | { readonly kind: 'CompletionRequested'; readonly actionKey: string; readonly data: Json }
    | { readonly kind: 'TimeoutRequested' }
    | { readonly kind: 'CancellationRequested' }
    | {
        /** A repair: what it pinned and found, and the issues that are left. Null leaves what there was. */
        readonly kind: 'ResolutionRetried';
        readonly form: PinnedForm | null;
        readonly membership: MembershipSnapshot | null;
        readonly health: readonly HealthIssue[];
      }
    | { readonly kind: 'Completed'; readonly actionKey: string }
    | { readonly kind: 'TimedOut'; readonly actionKey: string }
    | { readonly kind: 'Cancelled'; readonly actionKey: string; readonly cause: CancellationCause }
  );

export type TaskEvent = CreatedEvent | TransitionEvent;
export type TaskEventKind = TaskEvent['kind'];

/** The state that a creation brings about. @see UT-025, UT-026 */
export function created(event: CreatedEvent): TaskState {
  const core: TaskCore = {
    tenantId: event.tenantId,
    taskId: event.taskId,
    inputs: event.inputs,
    owner: event.owner,
    form: event.form,
    membership: event.membership,
    revision: event.revision,
    createdAt: event.occurredAt,
    updatedAt: event.occurredAt,
    priority: event.inputs.priority,
    dueAt: event.inputs.dueAt,
    overdueNotified: false,
    health: event.health,
    formerAssignees: [],
    actors: [],
  };
  if (event.status === 'Assigned' && event.inputs.assignee !== null) {
    const holding = { assignee: event.inputs.assignee, assignedAt: event.occurredAt };
    return { ...core, status: 'Assigned', holding, outcome: null, completedAt: null };
  }
  const status = event.status === 'Assigned' ? 'Available' : event.status;
  return { ...core, status, holding: null, outcome: null, completedAt: null };
}

/**
 * Applies an event that the task has accepted.
 * @throws {Error} when the event cannot follow the state: a bug, never an answer
 */
export function evolve(state: TaskState, event: TransitionEvent): TaskState {
  if (event.revision !== state.revision + 1) {
    throw new Error(
      `event ${event.kind} has revision ${event.revision}, the task ${state.revision}`,
    );
  }
  const core: TaskCore = {
    ...coreOf(state),
    revision: event.revision,
    updatedAt: event.occurredAt,
    actors: withActor(state.actors, event.actor),
  };
  switch (event.kind) {
    case 'Claimed':
    case 'Assigned':
    case 'Reassigned':
      return {
        ...core,
        formerAssignees: formerAssigneesAfter(state, event.assignee),
        health: withoutIssues(core.health, ENDED_BY_ASSIGNMENT),
        status: 'Assigned',
        holding: { assignee: event.assignee, assignedAt: event.occurredAt },
        outcome: null,
        completedAt: null,
      };
    case 'Released':
      return released(state, core);
    case 'ScheduleUpdated': {
      const stillOverdue = event.dueAt !== null && event.dueAt <= event.occurredAt;
      return {
        ...state,
        ...core,
        priority: event.priority,
        dueAt: event.dueAt,
        overdueNotified: state.overdueNotified && stillOverdue,
      };
    }
    case 'OverdueNotified':
      return { ...state, ...core, overdueNotified: true };
    case 'ResolutionRetried': {
      const repaired = {
        ...core,
        form: event.form ?? core.form,
        membership: event.membership ?? core.membership,
        health: event.health,
      };
      return state.status === 'Available' || state.status === 'Unassigned'
        ? unheld(repaired)
        : { ...state, ...repaired };
    }
    case 'CompletionRequested': {
      if (state.holding === null) throw new Error('a completion needs an assignee');
      const outcome = { actionKey: event.actionKey, data: event.data, completedBy: event.actor };
      return { ...core, status: 'Completing', holding: state.holding, outcome, completedAt: null };
    }
    case 'TimeoutRequested':
      return {
        ...core,
        overdueNotified: true,
        status: 'TimingOut',
        holding: state.holding,
        outcome: reservedOutcome('Timeout', null),
        completedAt: null,
      };
    case 'CancellationRequested':
      return {
        ...core,
        status: 'Cancelling',
        holding: state.holding,
        outcome: reservedOutcome('Cancelled', event.actor),
        completedAt: null,
      };
    case 'Completed': {
      if (state.holding === null || state.outcome === null)
        throw new Error('nothing was completed');
      return {
        ...core,
        status: 'Completed',
        holding: state.holding,
        outcome: state.outcome,
        completedAt: event.occurredAt,
      };
    }
    case 'TimedOut':
    case 'Cancelled': {
      // What was accepted in a workflow that somebody ended from outside never became an outcome.
      const lost = event.kind === 'Cancelled' && event.cause === 'terminated';
      const outcome = (lost ? null : state.outcome) ?? reservedOutcome('Cancelled', null);
      return {
        ...core,
        status: event.kind,
        holding: state.holding,
        outcome,
        completedAt: event.occurredAt,
      };
    }
    default:
      return assertNever(event);
  }
}

/** Issues that end as soon as somebody holds the task. */
const ENDED_BY_ASSIGNMENT: readonly HealthCode[] = ['no-assignment', 'excluded-assignee'];

function released(state: TaskState, core: TaskCore): TaskState {
  const formerAssignees = formerAssigneesAfter(state, null);
  return unheld({ ...core, formerAssignees });
}

/** A task that nobody holds, by whether anybody could: the issue says when nobody can. @see UT-395 */
function unheld(core: TaskCore): TaskState {
  const status = hasRoute(core) ? 'Available' : 'Unassigned';
  const health =
    status === 'Available'
      ? withoutIssues(core.health, ['no-assignment'])
      : withIssue(core.health, 'no-assignment', core.updatedAt);
  return { ...core, health, status, holding: null, outcome: null, completedAt: null };
}

/**
 * Whether somebody could claim the task: a candidate user or an enumerated member who is not excluded, or any live group,
 * since who belongs to it is only known when its member asks.
 * @see UT-101, UT-390
 */
export function hasRoute({
  inputs,
  membership,
}: Pick<TaskState, 'inputs' | 'membership'>): boolean {
  if (inputs.membershipResolutionMode === 'Live' && inputs.candidateGroups.length > 0) return true;
  if (membership !== null && membership.eligibleCount > 0) return true;
  return inputs.candidateUsers.some((user) => !isAmong(user, inputs.excludedUsers));
}

/**
 * Whether the due date has elapsed while the task was open: at `now` for an open task, frozen at its end for a closed one.
 * @see UT-126
 */
export function isOverdue(task: Pick<TaskState, 'dueAt' | 'completedAt'>, now: Instant): boolean {
  if (task.dueAt === null) return false;
  return millisOf(task.dueAt) <= millisOf(task.completedAt ?? now);
}

function coreOf(state: TaskState): TaskCore {
  const {
    status: _status,
    holding: _holding,
    outcome: _outcome,
    completedAt: _completedAt,
    ...core
  } = state;
  return core;
}

function formerAssigneesAfter(
  state: TaskState,
  next: ParticipantReference | null,
): readonly ParticipantReference[] {
  const before = state.holding?.assignee ?? null;
  if (before === null || isSameParticipant(before, next) || isAmong(before, state.formerAssignees))
    return state.formerAssignees;
  return [...state.formerAssignees, before];
}

function withActor(
  actors: readonly ParticipantReference[],
  actor: ParticipantReference | null,
): readonly ParticipantReference[] {
  return actor === null || isAmong(actor, actors) ? actors : [...actors, actor];
}

function reservedOutcome(
  actionKey: (typeof RESERVED_ACTIONS)[number],
  completedBy: ParticipantReference | null,
): Outcome {
  return { actionKey, data: null, completedBy };
}
