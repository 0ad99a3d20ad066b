import type { Report } from './services/progress';
import {
  findRecorded,
  forgetProcess,
  killRecorded,
  recordProcess,
  stopRecordedProcesses,
} from './services/process-record';
import type { StateFolder } from './services/state-folder';
import { LaunchError } from './launch-error';

/** What stops before what: callers before those they call. */
const stopOrder = ['examples', 'api', 'worker', 'temporal', 'postgres'];
const launcher = 'launcher';

/** One run of the launcher: everything that it starts ends with it. */
export interface Lifecycle {
  /** True once the end has begun; nothing may be started any more. */
  isEnding(): boolean;
  /** Stops all that this launcher started, in order; says what, unless something else is to be read. */
  end(how?: { readonly quietly: boolean }): Promise<void>;
}

/**
 * Begins a run: refuses a second one on the same state, stops what a killed one left, and takes
 * over Ctrl-C. The first Ctrl-C stops everything in order, the second at once.
 */
export async function beginLifecycle(state: StateFolder, report: Report): Promise<Lifecycle> {
  const other = findRecorded(state.run, launcher);
  if (other !== null) {
    throw new LaunchError(
      `Countersign already runs on ${state.root} (process ${other.pid}); stop it with Ctrl-C in ` +
        'its terminal, or choose another folder with COUNTERSIGN_STATE.',
    );
  }
  await stopRecordedProcesses(state.run, stopOrder, ({ name, pid }) =>
    report(`Stopping ${name} (process ${pid}), left over from a start that was killed.`),
  );
  recordProcess(state.run, launcher, process.pid);

  let ending: Promise<void> | null = null;
  const end: Lifecycle['end'] = (how) =>
    (ending ??= stopAll(state, how?.quietly === true ? () => undefined : report));
  const onSignal = (name: NodeJS.Signals): void => {
    if (ending !== null) {
      report('Stopping at once.');
      killRecorded(state.run);
      process.exit(130);
    }
    report('');
    report('Stopping; Ctrl-C again stops at once.');
    void end().finally(() => process.exit(name === 'SIGINT' ? 130 : 143));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return { isEnding: () => ending !== null, end };
}

async function stopAll(state: StateFolder, report: Report): Promise<void> {
  const announce = ({ name }: { readonly name: string }): void => report(`  ${name}`);
  await stopRecordedProcesses(state.run, stopOrder, announce);
  // Once more for what was just being started when the end began.
  await stopRecordedProcesses(state.run, stopOrder, announce);
  forgetProcess(state.run, launcher, process.pid);
  report('Stopped.');
}
