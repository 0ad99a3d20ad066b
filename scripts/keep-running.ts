import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf } from './launch-error';
import type { Lifecycle } from './lifecycle';
import { describeExit, tailOf, type ManagedProcess } from './services/managed-process';
import type { Report } from './services/progress';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Running this long counts as recovered, and the next pause is short again. */
const recoveredMs = 60_000;

/**
 * Starts a process again whenever it ends by itself, after a pause that doubles while it keeps
 * ending. Returns when the launcher ends.
 * @param start - starts it and waits until it is ready
 */
export async function keepRunning(
  lifecycle: Lifecycle,
  first: ManagedProcess,
  start: () => Promise<ManagedProcess>,
  report: Report,
): Promise<void> {
  let current = first;
  let pauseMs = firstPauseMs;
  for (;;) {
    const begun = Date.now();
    await current.exited;
    if (lifecycle.isEnding()) return;
    if (Date.now() - begun > recoveredMs) pauseMs = firstPauseMs;
    report(
      `${current.name} ended unexpectedly (${describeExit(current.exit())}); starting it again in ` +
        `${pauseMs / 1000} s. The end of ${current.logFile}:\n${tailOf(current.logFile, 5)}`,
    );
    for (;;) {
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      if (lifecycle.isEnding()) return;
      try {
        current = await start();
        report(`${current.name} runs again.`);
        break;
      } catch (error) {
        if (lifecycle.isEnding()) return;
        report(`${lineOf(error)} Trying again in ${pauseMs / 1000} s.`);
      }
    }
  }
}
