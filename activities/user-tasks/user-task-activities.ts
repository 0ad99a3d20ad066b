import type { ActionDefinition } from '../../domain/user-tasks/action';
import type { ResolutionNeeds } from '../../domain/user-tasks/definition';
import type { TaskId } from '../../domain/ids';
import type { PinnedForm } from '../../domain/user-tasks/form';
import type { Resolution } from '../../domain/user-tasks/resolution';
import type { CompleteCommand } from '../../domain/user-tasks/commands';
import type { CreationReceipt, Receipt } from '../../domain/user-tasks/receipt';
import type { Rejection } from '../../domain/user-tasks/rejection';

/** What is to be resolved for which task. `snapshotId` names the list of members, so that a repetition writes it again. */
export interface ResolveRequest {
  readonly tenantId: string;
  readonly taskId: TaskId;
  readonly snapshotId: string;
  readonly needs: ResolutionNeeds;
}

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
    readonly tenantId: string;
    readonly command: CompleteCommand;
    readonly form: PinnedForm | null;
    readonly schema: ActionDefinition['schema'];
  }): Promise<CompleteCommand | Rejection>;
  /**
   * Pins the form, enumerates groups and finds the instant of a local date: what is asked for and no more. A provider or
   * directory that is missing or says no is an answer; one that cannot be reached makes the activity fail, to be tried
   * again.
   */
  resolve(request: ResolveRequest): Promise<Resolution>;
}
