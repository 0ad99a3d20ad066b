import type { Entitlement } from './commands';
import { REPAIRABLE_ISSUES } from './health';
import { isManager, subjectOf, type Actor } from './actor';
import { isGranted, type Permission } from './grants';
import {
  isAmong,
  isSameParticipant,
  participantKey,
  type ParticipantReference,
} from './participant';
import { isTerminal, isTransitional, type TaskState, type TaskStatus } from './task';

/**
 * What an actor is to one task. Rows and workflow state both yield it, so that lists, decisions and `allowedActions`
 * follow the same rules.
 * @see UT-210
 */
export interface Relationships {
  readonly manager: boolean;
  /** Holds the task now or held it when it closed. */
  readonly assignee: boolean;
  /** Entitled to claim, by name or group, and not excluded; whatever the status. */
  readonly candidate: boolean;
  readonly completer: boolean;
  readonly formerAssignee: boolean;
  /** Sent a command that was accepted. */
  readonly actor: boolean;
}

/** The facts of a task on which relationships and allowed actions depend, beside who asks. */
export interface TaskFacts {
  readonly status: TaskStatus;
  /** Whether a blocking health issue leaves the task to managers alone. @see UT-164 */
  readonly blocked: boolean;
  readonly cancellable: boolean;
  /** Whether an issue that retry-resolution may clear is open. */
  readonly repairable: boolean;
}

/** The facts of a task that is held in memory. */
export function factsOf(state: TaskState): TaskFacts {
  return {
    status: state.status,
    blocked: state.health.some((issue) => issue.severity === 'Blocking'),
    cancellable: state.inputs.enableCancellationOutcome,
    repairable: state.health.some((issue) => REPAIRABLE_ISSUES.includes(issue.code)),
  };
}

/**
 * What `actor` is to the task; nothing at all for another tenant or the system.
 * @param entitledBy - the list in the database by which the sender found the actor a candidate
 * @see UT-069, UT-403
 */
export function relationshipsOf(
  state: TaskState,
  actor: Actor,
  entitledBy: Entitlement | null = null,
): Relationships {
  const subject = subjectOf(actor);
  if (actor.kind !== 'person' || subject === null || subject.tenantId !== state.tenantId)
    return NO_RELATIONSHIP;
  const completedBy = state.status === 'Completed' ? state.outcome.completedBy : null;
  return {
    manager: isManager(actor, state.tenantId),
    assignee: isSameParticipant(state.holding?.assignee ?? null, subject),
    candidate: isCandidate(state, subject, actor.groups, entitledBy),
    completer: isSameParticipant(completedBy, subject),
    formerAssignee: isAmong(subject, state.formerAssignees),
    actor: isAmong(subject, state.actors),
  };
}

/** The relationships of a stranger. */
export const NO_RELATIONSHIP: Relationships = {
  manager: false,
  assignee: false,
  candidate: false,
  completer: false,
  formerAssignee: false,
  actor: false,
};

function isCandidate(
  state: TaskState,
  subject: ParticipantReference,
  groups: readonly ParticipantReference[],
  entitledBy: Entitlement | null,
): boolean {
  if (isAmong(subject, state.inputs.excludedUsers)) return false;
  if (isAmong(subject, state.inputs.candidateUsers)) return true;
  if (state.inputs.membershipResolutionMode === 'Snapshot') return entitledBy === 'SnapshotMember';
  const own = new Set(groups.map(participantKey));
  return state.inputs.candidateGroups.some((group) => own.has(participantKey(group)));
}

/** Whether the safe fields may be read; the `view` grant is checked apart. @see UT-210, UT-164 */
export function mayReadSummary(facts: TaskFacts, is: Relationships): boolean {
  if (is.manager) return true;
  if (facts.blocked) return false;
  return is.assignee || is.candidate || is.completer || is.formerAssignee || is.actor;
}

/** Whether protected content may be read: managers, the assignee while it is open, the completer once closed. @see UT-210, UT-211 */
export function mayReadProtected(facts: TaskFacts, is: Relationships): boolean {
  if (is.manager) return true;
  if (facts.blocked) return false;
  return isTerminal(facts.status) ? is.completer : is.assignee;
}

/** Whether the timeline may be read; others who see the task get an empty one. @see UT-160 */
export function mayReadEvents(facts: TaskFacts, is: Relationships): boolean {
  if (is.manager) return true;
  if (facts.blocked) return false;
  return is.assignee || is.completer || (isTerminal(facts.status) && is.formerAssignee);
}

/** What a person may ask for by name in `allowedActions`. @see UT-218 */
export type AllowedAction =
  'claim' | 'release' | 'assign' | 'update-scheduling' | 'complete' | 'cancel' | 'retry-resolution';

/**
 * For each verb the permission it needs, the relationship that permits it whatever the state, and whether the state
 * allows it: what `decide` refuses by and `allowedActions` lists by.
 */
export interface VerbRule {
  readonly permission: Permission;
  readonly permits: (is: Relationships, facts: TaskFacts) => boolean;
  readonly possible: (facts: TaskFacts) => boolean;
}

const workers = (facts: TaskFacts): boolean => !facts.blocked;
const isOpen = (facts: TaskFacts): boolean =>
  !isTerminal(facts.status) && !isTransitional(facts.status);

export const VERB_RULES = {
  claim: {
    permission: 'user-tasks:claim',
    permits: (is, facts) => is.candidate && workers(facts),
    possible: (facts) => facts.status === 'Available' || facts.status === 'Unassigned',
  },
  release: {
    permission: 'user-tasks:claim',
    permits: (is, facts) => is.manager || (is.assignee && workers(facts)),
    possible: (facts) => facts.status === 'Assigned',
  },
  assign: { permission: 'user-tasks:assign', permits: (is) => is.manager, possible: isOpen },
  'update-scheduling': {
    permission: 'user-tasks:update',
    permits: (is) => is.manager,
    possible: isOpen,
  },
  complete: {
    permission: 'user-tasks:complete',
    permits: (is, facts) => is.assignee && workers(facts),
    possible: (facts) => facts.status === 'Assigned',
  },
  cancel: {
    permission: 'user-tasks:cancel',
    permits: (is) => is.manager,
    possible: (facts) => facts.cancellable && isOpen(facts),
  },
  'retry-resolution': {
    permission: 'user-tasks:supervise',
    permits: (is) => is.manager,
    possible: (facts) => facts.repairable && isOpen(facts),
  },
} as const satisfies Record<AllowedAction, VerbRule>;

/** What the actor may do next, by grants, relationship and state. @see UT-218 */
export function allowedActions(
  facts: TaskFacts,
  is: Relationships,
  grants: readonly string[],
): readonly AllowedAction[] {
  return (Object.keys(VERB_RULES) as AllowedAction[]).filter((action) => {
    const rule: VerbRule = VERB_RULES[action];
    return isGranted(grants, rule.permission) && rule.permits(is, facts) && rule.possible(facts);
  });
}
