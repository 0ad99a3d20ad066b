import { setHandler } from '@temporalio/workflow';
import { configureUserTasks, defineTask, userTask as raise } from '../../../client/workflow';
import { CLERKS, group } from '../../builders/people';
import { taskIdQuery, type Settings } from './before';

export { userTask } from '../../../workflows/user-task';

const approval = defineTask({
  taskType: 'renamed',
  priority: 90,
  candidateGroups: [CLERKS, group('payers')],
  instructions: 'The second instructions.',
  actions: { approve: { label: 'Pay' }, escalate: { label: 'Escalate' } },
});

/** The same owner with a definition that has been changed in all its parts. */
export async function payment(settings: Settings): Promise<unknown> {
  configureUserTasks(settings);
  const task = raise(approval, {
    title: 'Pay at once',
    form: { providerName: 'json-schema', key: 'payment', binding: 'latest' },
  });
  setHandler(taskIdQuery, () => task.taskId);
  const answer = await task;
  return { taskId: answer.taskId, way: answer.action === 'approve' ? 'paid' : 'escalated' };
}

/** The same owner without its bug. */
export async function stumbles(settings: Settings): Promise<unknown> {
  configureUserTasks(settings);
  return raise(approval, { title: 'Committed' });
}
