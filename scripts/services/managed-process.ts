import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LaunchError } from '../launch-error';
import { forgetProcess, recordProcess, signal } from './process-record';
import type { StateFolder } from './state-folder';

/** What to run. */
export interface ProcessPlan {
  /** Name of its log and record, as in `worker`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that this launcher started and that it alone stops. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<ProcessExit>;
  /** Null while it runs. */
  exit(): ProcessExit | null;
  /** Asks it to end; after the grace period ends its whole process group. */
  stop(graceMs?: number): Promise<void>;
  /** Ends its whole process group at once, as a crash would. */
  kill(): Promise<void>;
}

/**
 * Starts a process in a process group of its own, so that Ctrl-C at the terminal reaches only the
 * launcher, which then stops everything in order. Output goes to a file and not through a pipe: it
 * survives the launcher, and a killed launcher does not break its children.
 */
export async function startProcess(state: StateFolder, plan: ProcessPlan): Promise<ManagedProcess> {
  const logFile = join(state.logs, `${plan.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(plan.uid === undefined ? {} : { uid: plan.uid }),
    ...(plan.gid === undefined ? {} : { gid: plan.gid }),
  });
  closeSync(log);

  let ended: ProcessExit | null = null;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, name) => {
      ended = { code, signal: name };
      if (child.pid !== undefined) forgetProcess(state.run, plan.name, child.pid);
      resolve(ended);
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? -1));
    child.once('error', (error) =>
      reject(
        new LaunchError(`Could not start ${plan.name} with ${plan.command}: ${error.message}.`, {
          cause: error,
        }),
      ),
    );
  });
  recordProcess(state.run, plan.name, pid);

  return {
    name: plan.name,
    pid,
    logFile,
    exited,
    exit: () => ended,
    stop: async (graceMs = 10_000) => {
      if (ended !== null) return;
      signal(pid, 'SIGTERM');
      const waiting = new AbortController();
      const late = sleep(graceMs, 'late' as const, { signal: waiting.signal }).catch(() => null);
      if ((await Promise.race([exited, late])) === 'late') signal(-pid, 'SIGKILL');
      waiting.abort();
      await exited;
    },
    kill: async () => {
      signal(-pid, 'SIGKILL');
      await exited;
    },
  };
}

/**
 * Waits until a started process answers.
 * @param isReady - asked every 100 ms; whatever it throws counts as "not yet"
 * @throws {LaunchError} when the process ends first or the time is over, with the end of its log
 */
export async function untilReady(
  child: ManagedProcess,
  isReady: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isReady().catch(() => false))) {
    if (child.exit() !== null) {
      throw new LaunchError(
        `${child.name} ended before it was ready (${describeExit(child.exit())}); the end of ` +
          `${child.logFile} says why:\n${tailOf(child.logFile)}`,
      );
    }
    if (Date.now() > deadline) {
      throw new LaunchError(
        `${child.name} was not ready within ${timeoutMs / 1000} s; see ${child.logFile}:\n` +
          tailOf(child.logFile),
      );
    }
    await sleep(100);
  }
}

/** How a process ended, in words. */
export function describeExit(exit: ProcessExit | null): string {
  if (exit === null) return 'running';
  return exit.signal === null ? `exit code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
}

/** The last lines of a log, indented. */
export function tailOf(logFile: string, lines = 12): string {
  if (!existsSync(logFile)) return '  (no log)';
  const text = readFileSync(logFile, 'utf8').trimEnd();
  return text
    .split('\n')
    .slice(-lines)
    .map((line) => `  ${basename(logFile, '.log')} | ${line}`)
    .join('\n');
}

/** Puts the logs of the previous start aside as `….log.previous`; older ones are dropped. */
export function rotateLog(state: StateFolder, name: string): void {
  const file = join(state.logs, `${name}.log`);
  if (existsSync(file)) renameSync(file, `${file}.previous`);
}
