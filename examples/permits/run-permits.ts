import type { EventLog } from './event-log';
import { eachAtOnce } from './each-at-once';
import { latenciesOf, type Latencies } from './latencies';
import { runCase, type CaseDone, type CaseRun, type StepTimes } from './run-case';
import { verifyCase, type Sources } from './verify-case';

/** What a run of a whole log needs. */
export interface PermitsRun extends Omit<CaseRun, 'onStep'>, Sources {
  readonly log: EventLog;
  /** Cases in flight. */
  readonly concurrency: number;
  /** Told after every step and every proof how far the run is. */
  readonly onProgress: (progress: Progress) => void;
}

/** How far a run is. */
export interface Progress {
  readonly phase: 'running' | 'proving';
  readonly cases: number;
  readonly activities: number;
  readonly failed: number;
}

/** How a run ended. */
export interface PermitsReport {
  readonly cases: number;
  readonly activities: number;
  /** Wall clock of the cases, without the proof. */
  readonly seconds: number;
  readonly claim: Latencies;
  readonly complete: Latencies;
  /** Steps of which a call had to be repeated. */
  readonly retried: number;
  /** What failed or differs, one line each; empty when every case is proved. */
  readonly wrong: readonly string[];
}

/** Runs every case of a log, then compares the log with the three sources. */
export async function runPermits(run: PermitsRun): Promise<PermitsReport> {
  const steps: StepTimes[] = [];
  const count = { cases: 0, failed: 0, proved: 0 };
  const start = performance.now();
  const onStep = (step: StepTimes): void => {
    steps.push(step);
    run.onProgress({ phase: 'running', ...count, activities: steps.length });
  };
  const outcomes = await eachAtOnce(run.log.cases, run.concurrency, async (permit) => {
    try {
      const done = await runCase(permit, { ...run, onStep });
      count.cases += 1;
      return done;
    } catch (error) {
      count.failed += 1;
      throw error;
    }
  });
  const seconds = (performance.now() - start) / 1_000;

  const done = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  const proofs = await eachAtOnce(done, run.concurrency, async (finished: CaseDone) => {
    const wrong = await verifyCase(finished, run);
    count.proved += 1;
    run.onProgress({
      phase: 'proving',
      cases: count.proved,
      activities: steps.length,
      failed: count.failed,
    });
    return wrong;
  });
  return {
    cases: count.cases,
    activities: steps.length,
    seconds,
    claim: latenciesOf(steps.map((step) => step.claimMs)),
    complete: latenciesOf(steps.map((step) => step.completeMs)),
    retried: steps.filter((step) => step.retried).length,
    wrong: [
      ...failuresOf(outcomes),
      ...failuresOf(proofs),
      ...proofs.flatMap((proof) => (proof.status === 'fulfilled' ? proof.value : [])),
    ],
  };
}

function failuresOf(outcomes: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected'
      ? [outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason)]
      : [],
  );
}
