import { readFileSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { NO_GROUP, type PermitActivity, type PermitCase } from '../permit-case';

/** What an event log tells: the cases with their activities in order, and who belongs to which groups. */
export interface EventLog {
  readonly cases: readonly PermitCase[];
  /** Groups of each person: those in whose name they did something. */
  readonly people: ReadonlyMap<string, readonly string[]>;
}

const rowSchema = z.object({
  'case:concept:name': z.string().min(1),
  'concept:name': z.string().min(1),
  'org:group': z.string(),
  'org:resource': z.string().min(1),
  'time:timestamp': z.string().min(1),
  /** Logs may also tell when an activity was begun; only its end counts here. */
  'lifecycle:transition': z.string().optional(),
});

interface Entry extends PermitActivity {
  readonly caseId: string;
  readonly microseconds: number;
}

/**
 * Reads an event log: a CSV file with a header, one row for each activity that somebody completed. Cases keep the order
 * of the file; within a case rows are sorted by time, to the microsecond and whatever their offsets, and rows of the
 * same time keep the order of the file.
 * @throws {Error} naming the file and line of what cannot be read
 */
export function readEventLog(path: string): EventLog {
  const rows = rowsOf(path);
  const entries = rows.flatMap((row, index) => entryOf(row, `${path}, row ${index + 1}`) ?? []);
  const cases = new Map<string, Entry[]>();
  const people = new Map<string, Set<string>>();
  for (const entry of entries) {
    const own = cases.get(entry.caseId) ?? [];
    cases.set(entry.caseId, [...own, entry]);
    const groups = people.get(entry.person) ?? new Set();
    people.set(entry.person, entry.group === NO_GROUP ? groups : groups.add(entry.group));
  }
  return {
    cases: [...cases].map(([caseId, own]) => ({ caseId, activities: inOrder(own) })),
    people: new Map([...people].map(([person, groups]) => [person, [...groups]])),
  };
}

function rowsOf(path: string): readonly unknown[] {
  try {
    return parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true });
  } catch (error) {
    const reason =
      error instanceof CsvError || error instanceof Error ? error.message : String(error);
    throw new Error(`${path} cannot be read: ${reason}`, { cause: error });
  }
}

function entryOf(value: unknown, place: string): Entry | null {
  const parsed = rowSchema.safeParse(value);
  if (!parsed.success) {
    const columns = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new Error(`${place}: missing or empty: ${columns}`);
  }
  const row = parsed.data;
  if ((row['lifecycle:transition'] ?? 'complete') !== 'complete') return null;
  return {
    caseId: row['case:concept:name'],
    name: row['concept:name'],
    group: row['org:group'] === '' ? NO_GROUP : row['org:group'],
    person: row['org:resource'],
    microseconds: microsecondsOf(row['time:timestamp'], place),
  };
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Not by `Date` alone, which knows milliseconds only: rows of one case may lie closer together. */
function microsecondsOf(text: string, place: string): number {
  const [, day, time, fraction = '', offset] = TIMESTAMP.exec(text) ?? [];
  const wholeMs = Date.parse(`${day ?? ''}T${time ?? ''}${offset ?? ''}`);
  if (Number.isNaN(wholeMs)) {
    throw new Error(
      `${place}: "${text}" is no timestamp with an offset, as 2011-10-11 13:45:40.276+02:00 is`,
    );
  }
  return wholeMs * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function inOrder(entries: readonly Entry[]): readonly PermitActivity[] {
  return entries
    .toSorted((a, b) => a.microseconds - b.microseconds)
    .map(({ name, group, person }) => ({ name, group, person }));
}
