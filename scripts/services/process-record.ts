import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const recordSchema = z.object({
  name: z.string(),
  pid: z.int().positive(),
  /** Start time as the system tells it; a process id alone may by now belong to another program. */
  startTime: z.string(),
});

/** What is written about a process so that a later start can tell whether it still runs. */
export type ProcessRecord = z.infer<typeof recordSchema>;

/** Writes the record of a process that runs now. */
export function recordProcess(folder: string, name: string, pid: number): void {
  const record: ProcessRecord = { name, pid, startTime: startTimeOf(pid) ?? 'unknown' };
  writeFileSync(fileOf(folder, name), `${JSON.stringify(record)}\n`);
}

/** Removes the record once the process has ended, unless it is about a later process. */
export function forgetProcess(folder: string, name: string, pid: number): void {
  if (readRecord(folder, name)?.pid === pid) rmSync(fileOf(folder, name), { force: true });
}

/** The recorded process when it is still the same one and alive, else null. */
export function findRecorded(folder: string, name: string): ProcessRecord | null {
  const record = readRecord(folder, name);
  if (record === null || startTimeOf(record.pid) !== record.startTime) return null;
  return record;
}

/** Ends every recorded process group at once, without asking; this process excepted. */
export function killRecorded(folder: string): void {
  for (const name of recordedNames(folder)) {
    const record = findRecorded(folder, name);
    if (record !== null && record.pid !== process.pid) signal(-record.pid, 'SIGKILL');
  }
}

/**
 * Stops every recorded process except this one, one after the other. What an earlier start that was
 * killed has left is among them; nothing else is touched.
 * @param order - names in the order in which they must stop; others follow
 * @param announce - told before a process is stopped
 */
export async function stopRecordedProcesses(
  folder: string,
  order: readonly string[],
  announce: (record: ProcessRecord) => void,
): Promise<void> {
  const rank = (name: string): number =>
    order.includes(name) ? order.indexOf(name) : order.length;
  const names = recordedNames(folder).sort((one, other) => rank(one) - rank(other));
  for (const name of names) {
    const record = findRecorded(folder, name);
    if (record?.pid === process.pid) continue;
    if (record !== null) {
      announce(record);
      await stopRecorded(record);
    }
    rmSync(fileOf(folder, name), { force: true });
  }
}

/** Asks a recorded process to end, and ends its process group when it does not within 10 seconds. */
async function stopRecorded(record: ProcessRecord): Promise<void> {
  signal(record.pid, 'SIGTERM');
  const deadline = Date.now() + 10_000;
  while (startTimeOf(record.pid) === record.startTime) {
    if (Date.now() > deadline) {
      signal(-record.pid, 'SIGKILL');
      return;
    }
    await sleep(50);
  }
}

/** Sends a signal; false when no such process (or group, for a negative id) is left. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** When a process began, in the system's own words; null when there is none (or only a zombie). */
export function startTimeOf(pid: number): string | null {
  try {
    if (!existsSync('/proc/self/stat')) {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : `${bootId()} ${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

/** Start times count from the system's start, so they say something only together with it. */
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

const recordedNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));

function readRecord(folder: string, name: string): ProcessRecord | null {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(fileOf(folder, name), 'utf8')));
  } catch {
    return null;
  }
}

const fileOf = (folder: string, name: string): string => join(folder, `${name}.json`);
