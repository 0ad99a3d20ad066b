import { jsonBytes } from '../json';
import type { TaskRecord } from './decide/decision';

/** Bytes of JSON that leave a run as its record: Temporal takes 2 MiB, encrypted and with what goes along. */
export const CARRIED_BYTES = 1_900_000;

/**
 * What a run hands on of its record, to the next run or to who asks: the task whole, and of operations and events the
 * newest for which there is room. The database has the others.
 * @see UT-113
 */
export function carried(record: TaskRecord): TaskRecord {
  const room = CARRIED_BYTES - jsonBytes(record.task);
  const operations = newest(record.operations, room / 2);
  return { ...record, operations, events: newest(record.events, room - jsonBytes(operations)) };
}

/** The longest end of `list` whose JSON fits into so many bytes. */
function newest<T>(list: readonly T[], bytes: number): readonly T[] {
  let start = list.length;
  let room = bytes;
  while (start > 0) {
    room -= jsonBytes(list[start - 1]) + 1;
    if (room < 0) break;
    start -= 1;
  }
  return start === 0 ? list : list.slice(start);
}
