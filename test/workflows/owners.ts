import { configureUserTasks, userTask as raise, defineTask } from '../../client/workflow';
import type { UserTaskInput } from '../../client/workflow';

export { userTask } from '../../workflows/user-task';

/** What a test's owner is to raise. */
export interface OwnerStart {
  readonly tenantId: string;
  readonly taskQueue: string;
  readonly input: UserTaskInput & { readonly enableTimeoutOutcome?: boolean; readonly enableCancellationOutcome?: boolean };
}

const decision = defineTask({ actions: { approve: { label: 'Approve' }, reject: { label: 'Reject' } } });

/** An owner that raises one task and returns its answer. */
export async function oneTask({ tenantId, taskQueue, input }: OwnerStart): Promise<unknown> {
  configureUserTasks({ tenantId, taskQueue });
  return raise(decision, input);
}
