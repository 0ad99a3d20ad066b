import { isRecord, isStorableText } from '../json';

export type ParticipantType = 'user' | 'group';

/**
 * An opaque external identity, never a key to a user table. Four parts make it up (`tenantId`, `provider`, `type`,
 * `id`), compared byte for byte; the display name is a label without authority.
 * @see UT-004, UT-050, UT-051
 */
export interface ParticipantReference {
  readonly tenantId: string;
  readonly provider: string;
  readonly type: ParticipantType;
  readonly id: string;
  readonly displayName: string | null;
}

/** Longest parts of a reference, in characters. @see UT-288 */
export const PARTICIPANT_LIMITS = {
  tenantId: 450,
  provider: 200,
  id: 450,
  displayName: 500,
} as const;

/** Text that is equal exactly for equal identities; JSON keeps the parts apart whatever separators they hold. */
export function participantKey(participant: ParticipantReference): string {
  return JSON.stringify([
    participant.tenantId,
    participant.provider,
    participant.type,
    participant.id,
  ]);
}

/** Whether both name the same identity, whatever their display names. */
export function isSameParticipant(
  a: ParticipantReference | null,
  b: ParticipantReference | null,
): boolean {
  return a !== null && b !== null && participantKey(a) === participantKey(b);
}

/** Whether both name the same sender; null is the system. */
export function isSameSender(
  a: ParticipantReference | null,
  b: ParticipantReference | null,
): boolean {
  return a === null ? b === null : isSameParticipant(a, b);
}

/** Whether `participant` is in `list`. */
export function isAmong(
  participant: ParticipantReference,
  list: readonly ParticipantReference[],
): boolean {
  return list.some((other) => isSameParticipant(other, participant));
}

/** `list` with each identity once, the first of its display names kept. */
export function distinctParticipants(
  list: readonly ParticipantReference[],
): readonly ParticipantReference[] {
  return [
    ...new Map([...list].reverse().map((item) => [participantKey(item), item])).values(),
  ].reverse();
}

/** `value` as a reference, or what is wrong with it, fit to show. */
export function parseParticipant(
  value: unknown,
  allow: { readonly emptyId?: boolean } = {},
): ParticipantReference | string {
  if (!isRecord(value)) return 'must be a participant { tenantId, provider, type, id }';
  const { tenantId, provider, type, id, displayName = null } = value;
  if (typeof tenantId !== 'string') return 'tenantId must be a string';
  if (typeof provider !== 'string' || provider === '') return 'provider must be a non-empty string';
  if (type !== 'user' && type !== 'group') return "type must be 'user' or 'group'";
  if (typeof id !== 'string' || (id === '' && allow.emptyId !== true))
    return 'id must be a non-empty string';
  if (displayName !== null && typeof displayName !== 'string')
    return 'displayName must be a string';
  const parts = { tenantId, provider, id, displayName: displayName ?? '' };
  for (const [part, limit] of Object.entries(PARTICIPANT_LIMITS)) {
    const text = parts[part as keyof typeof parts];
    if (text.length > limit) return `${part} must not exceed ${limit} characters`;
    if (!isStorableText(text)) return `${part} must not contain U+0000 or half of a surrogate pair`;
  }
  return { tenantId, provider, type, id, displayName };
}
