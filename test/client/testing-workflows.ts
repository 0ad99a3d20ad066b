import { z } from 'zod';
import { defineTask, group, user, userTask, type Participant } from '../../client/workflow';

export const approval = defineTask({
  taskType: 'approval',
  actions: {
    approve: {
      label: 'Approve',
      schema: z.object({ amount: z.number().positive(), note: z.string().default('none') }),
    },
    reject: { label: 'Reject' },
  },
  enableTimeoutOutcome: true,
  enableCancellationOutcome: true,
});

export const CLERKS = group('default', 'clerks');

/** Asks for an approval within two days, of the clerks but one. */
export async function asksForApproval({
  title,
  members,
}: {
  title: string;
  members?: 'Snapshot';
}): Promise<unknown> {
  const answer = await userTask(approval, {
    title,
    candidateGroups: [CLERKS],
    excludedUsers: [user('default', 'eve')],
    dueAt: 'P2D',
    taskData: { order: 7 },
    ...(members === undefined ? {} : { membershipResolutionMode: members }),
  });
  const { action, data, completedBy } = answer;
  return { action, data, by: completedBy?.id ?? null };
}

/** One after the other, the second for another person. */
export async function asksTwice(first: Participant): Promise<readonly string[]> {
  const task = defineTask({ taskType: 'sign', actions: { sign: { label: 'Sign' } } });
  const one = await userTask(task, { title: 'first', assignee: first });
  const two = await userTask(task, {
    title: 'second',
    candidateGroups: [CLERKS],
    excludedUsers: [one.completedBy],
  });
  return [one.completedBy.id, two.completedBy.id];
}
