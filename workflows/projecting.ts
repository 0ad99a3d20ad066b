import { ApplicationFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { UserTaskActivities } from '../activities/user-tasks/user-task-activities';
import type { CreationReceipt } from '../domain/user-tasks/receipt';
import { isRejectionCode, rejection, type Rejection } from '../domain/user-tasks/rejection';

/** Effects of the task, tried until they succeed: an operator sees what waits, and updates are answered meanwhile. */
export const durably = proxyActivities<UserTaskActivities>({
  startToCloseTimeout: '15 seconds',
  retry: {
    initialInterval: '200 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '15 seconds',
  },
});

const atOnce = proxyLocalActivities<UserTaskActivities>({
  startToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Writes the rows of a task that has just started: at once, within its first workflow task, and if that fails like any
 * other projection of the task. A re-run writes the same, since all of it follows from the start input.
 * @returns why the task cannot be (another one has its materialization key), or null
 * @see UT-018, UT-019; design.md, "Who projects", way 2
 */
export async function projectCreation(receipt: CreationReceipt): Promise<Rejection | null> {
  const { form, membership } = receipt.event;
  // What an activity has answered is decided once history has it, so it is projected like everything later.
  const { materializedBy } = await (form !== null || membership !== null
    ? durably.projectCreation(receipt)
    : atOnce.projectCreation(receipt).catch((error: unknown) => {
        if (isRefusal(error)) throw error;
        return durably.projectCreation(receipt);
      }));
  return materializedBy === receipt.event.taskId
    ? null
    : rejection(
        'duplicate-materialization',
        'The step has already raised this task under another id.',
      );
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApplicationFailure &&
    error.nonRetryable === true &&
    isRejectionCode(error.type)
  );
}
