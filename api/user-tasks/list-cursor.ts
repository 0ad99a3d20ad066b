import { isStorableText } from '../../domain/json';
import { parseInstant } from '../../domain/instant';
import { parseTaskId, type TaskId } from '../../domain/ids';
import type { ListQuery, ListSort } from './list-query';

/** The last row of a page: its sort value as text, and its id to break ties. @see UT-256 */
export interface ListCursor {
  readonly value: string;
  readonly taskId: TaskId;
}

/** What a cursor is good for; made for another list it counts as unreadable. @see UT-257 */
export type CursorPlace = Pick<ListQuery, 'scope' | 'sort' | 'direction'>;

/** The opaque text of a cursor. */
export function encodeCursor(cursor: ListCursor, place: CursorPlace): string {
  return Buffer.from(JSON.stringify([fingerprint(place), cursor.value, cursor.taskId])).toString(
    'base64url',
  );
}

/** The cursor in a text, or null when it is none for this place: then the first page is meant. */
export function decodeCursor(text: string | undefined, place: CursorPlace): ListCursor | null {
  const parts = text === undefined ? null : parsed(text);
  if (!Array.isArray(parts) || parts.length !== 3) return null;
  const [madeFor, value, id] = parts as readonly unknown[];
  const taskId = parseTaskId(id);
  if (madeFor !== fingerprint(place) || taskId === null || typeof value !== 'string') return null;
  return isSortValue(value, place.sort) ? { value, taskId } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function fingerprint({ scope, sort, direction }: CursorPlace): string {
  return `${scope}:${sort}:${direction}`;
}

/** Whether the database can read the value: what it cannot would be its error, and so ours. */
function isSortValue(value: string, sort: ListSort): boolean {
  switch (sort) {
    case 'created':
    case 'due':
      return /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
    case 'priority':
      return /^-?\d{1,3}$/.test(value);
    case 'updated':
      return parseInstant(value) !== null && !value.startsWith('0000');
    case 'title':
      return isStorableText(value);
  }
}
