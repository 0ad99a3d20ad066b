import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { millisOf, type Instant } from '../domain/instant';

/**
 * One durable timer for one instant that may move. `arm` starts it, moves it when the instant has changed, and ends it
 * for null; once it has fired it rests until it is armed for another instant.
 */
export class DueTimer {
  readonly #onDue: (dueAt: Instant) => void;
  #armedFor: Instant | null = null;
  #scope: CancellationScope | null = null;

  constructor(onDue: (dueAt: Instant) => void) {
    this.#onDue = onDue;
  }

  arm(dueAt: Instant | null): void {
    if (dueAt === this.#armedFor) return;
    this.#scope?.cancel();
    this.#scope = null;
    this.#armedFor = dueAt;
    if (dueAt === null) return;
    const scope = new CancellationScope({ cancellable: true });
    this.#scope = scope;
    void scope
      .run(() => sleep(Math.max(1, millisOf(dueAt) - Date.now()), { summary: 'due' }))
      .then(
        () => {
          this.#scope = null;
          this.#onDue(dueAt);
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }
}
