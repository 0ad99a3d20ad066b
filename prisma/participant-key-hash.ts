import { createHash } from 'node:crypto';
import { participantKey, type ParticipantReference } from '../domain/user-tasks/participant';

/**
 * Key of a participant in rows: SHA-256 over its identity, base64url, 43 characters. Of fixed length, because an
 * identity may take 4 kB and an index entry may not.
 */
export function participantKeyHash(participant: ParticipantReference): string {
  return createHash('sha256').update(participantKey(participant)).digest('base64url');
}
