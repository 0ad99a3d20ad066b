import { defineQuery, setHandler } from '@temporalio/workflow';
import { configureUserTasks, defineTask, userTask as raise } from '../../../client/workflow';
import type { TaskId } from '../../../domain/ids';
import { CLERKS } from '../../builders/people';

export { userTask } from '../../../workflows/user-task';

/** Id of the task, as soon as the step has run. */
export const taskIdQuery = defineQuery<TaskId>('taskId');

/** Where the tests' owners run. */
export interface Settings {
  readonly tenantId: string;
  readonly taskQueue: string;
}

const approval = defineTask({
  taskType: 'approval',
  priority: 40,
  candidateGroups: [CLERKS],
  instructions: 'The first instructions.',
  actions: { approve: { label: 'Approve it' }, reject: { label: 'Reject it' } },
});

/** Raises one task and goes the way that the answer names. */
export async function payment(settings: Settings): Promise<unknown> {
  configureUserTasks(settings);
  const task = raise(approval, {
    title: 'Pay 4711',
    form: { providerName: 'json-schema', key: 'payment', binding: 'latest' },
  });
  setHandler(taskIdQuery, () => task.taskId);
  const answer = await task;
  return { taskId: answer.taskId, way: answer.action === 'approve' ? 'paid' : 'sent back' };
}

/** Raises a task in a step that comes to nothing. */
export async function stumbles(settings: Settings): Promise<unknown> {
  configureUserTasks(settings);
  void raise(approval, { title: 'Never committed' });
  await Promise.resolve();
  throw new TypeError('a bug in the owner');
}
