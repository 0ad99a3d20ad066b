import { isRecord } from '../json';
import { isGranted } from './grants';
import { parseParticipant, type ParticipantReference } from './participant';

/**
 * Who sends a command: an authenticated person with present groups and grants, or the system itself (timers, repair,
 * the owner's end).
 */
export type Actor =
  | {
      readonly kind: 'person';
      readonly subject: ParticipantReference;
      readonly groups: readonly ParticipantReference[];
      readonly grants: readonly string[];
    }
  | { readonly kind: 'system' };

export type Person = Extract<Actor, { kind: 'person' }>;

/** The person behind an actor, or null for the system. */
export function subjectOf(actor: Actor): ParticipantReference | null {
  return actor.kind === 'person' ? actor.subject : null;
}

/**
 * Whether the actor is a manager of the tenant: holds `user-tasks:supervise`. A manager role alone gives no standing,
 * and the grant alone confers it, so the grant decides.
 * @see UT-058, UT-209
 */
export function isManager(actor: Actor, tenantId: string): boolean {
  return (
    actor.kind === 'person' &&
    actor.subject.tenantId === tenantId &&
    isGranted(actor.grants, 'user-tasks:supervise')
  );
}

/** `value` as a person, or what is wrong with it, fit to show. The system is never read from a message. */
export function parsePerson(value: unknown): Person | string {
  if (!isRecord(value)) return 'actor must be { kind, subject, groups, grants }';
  if (value['kind'] !== 'person') return "actor.kind must be 'person'";
  const subject = parseParticipant(value['subject']);
  if (typeof subject === 'string') return `actor.subject: ${subject}`;
  if (subject.type !== 'user') return 'actor.subject must name a user';
  const { groups, grants } = value;
  if (!Array.isArray(groups)) return 'actor.groups must be a list';
  const parsed = groups.map((group) => parseParticipant(group));
  const wrong = parsed.find((group) => typeof group === 'string');
  if (wrong !== undefined) return `actor.groups: ${wrong}`;
  if (!Array.isArray(grants) || !grants.every((grant) => typeof grant === 'string')) {
    return 'actor.grants must be a list of strings';
  }
  return { kind: 'person', subject, groups: parsed as ParticipantReference[], grants };
}
