import type { ParticipantReference } from '../domain/user-tasks/participant';

/**
 * A user or group as the author of a workflow names it. Without a tenant it belongs to the tenant of the task; a full
 * reference, as an answer's `completedBy` is, serves as well.
 */
export interface Participant {
  readonly tenantId?: string;
  /** Name space of `id`, for example the directory that knows it. */
  readonly provider: string;
  readonly type: 'user' | 'group';
  readonly id: string;
  /** A label without authority. */
  readonly displayName?: string | null;
}

/** A person, by the id that `provider` knows them by. */
export function user(
  provider: string,
  id: string,
  displayName?: string,
): Participant & { readonly type: 'user' } {
  return { provider, type: 'user', id, displayName: displayName ?? null };
}

/** A group, by the id that `provider` knows it by: whoever is a member when they ask may claim. */
export function group(
  provider: string,
  id: string,
  displayName?: string,
): Participant & { readonly type: 'group' } {
  return { provider, type: 'group', id, displayName: displayName ?? null };
}

/** The participant with the tenant filled in. */
export function withTenant(participant: Participant, tenantId: string): ParticipantReference {
  return { displayName: null, tenantId, ...participant };
}
