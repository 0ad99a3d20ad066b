import type { ActionDefinition } from '../../domain/user-tasks/action';
import type { CompleteCommand } from '../../domain/user-tasks/commands';
import type { CreationReceipt, Receipt } from '../../domain/user-tasks/receipt';
import type { Rejection } from '../../domain/user-tasks/rejection';

/** What the user task workflow asks of the outside world. `createUserTaskActivities` in `worker.ts` gives it. */
export interface UserTaskActivities {
  /**
   * Writes the rows of a task that has started; a repetition finds them and writes nothing.
   * @returns the id of the task that the materialization key belongs to: this one, or one that was first
   */
  projectCreation(receipt: CreationReceipt): Promise<{ readonly materializedBy: string }>;
  /** Writes what the task decided by itself or on a signal; idempotent, in any order. */
  project(receipts: readonly Receipt[]): Promise<void>;
  /** Validates and normalises the data of a completion that its sender did not prepare. */
  prepareCompletion(request: {
    readonly command: CompleteCommand;
    readonly schema: ActionDefinition['schema'];
  }): Promise<CompleteCommand | Rejection>;
}
