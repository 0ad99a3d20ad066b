import { proxyActivities, uuid4 } from '@temporalio/workflow';
import type {
  ResolveRequest,
  UserTaskActivities,
} from '../activities/user-tasks/user-task-activities';
import type { ResolutionNeeds } from '../domain/user-tasks/definition';
import { NOTHING_RESOLVED, type Resolution } from '../domain/user-tasks/resolution';
import type { TaskState } from '../domain/user-tasks/task';

/**
 * Asks the outside world for what a task needs, again and again until it answers or the time is up; then what did not
 * answer counts as failed, and the task goes on with an issue.
 * @see UT-385, UT-087
 */
export async function resolveNeeds(
  task: Pick<TaskState, 'tenantId' | 'taskId'>,
  needs: ResolutionNeeds,
  timeoutMs: number,
): Promise<Resolution> {
  const { resolve } = proxyActivities<Pick<UserTaskActivities, 'resolve'>>({
    scheduleToCloseTimeout: timeoutMs,
    startToCloseTimeout: Math.min(timeoutMs, 10_000),
    retry: { initialInterval: '500 milliseconds', maximumInterval: '5 seconds' },
  });
  const request = (part: Partial<ResolutionNeeds>): ResolveRequest => ({
    tenantId: task.tenantId,
    taskId: task.taskId,
    snapshotId: uuid4(),
    needs: { form: null, groups: [], dueAt: null, excludedUsers: needs.excludedUsers, ...part },
  });
  // Apart, so that a directory that is down does not take the form with it.
  const [form, membership, dueAt] = await Promise.all([
    needs.form === null ? null : resolve(request({ form: needs.form })).catch(() => FORM_FAILED),
    needs.groups.length === 0
      ? null
      : resolve(request({ groups: needs.groups })).catch(() => membershipFailed(needs)),
    needs.dueAt === null
      ? null
      : resolve(request({ dueAt: needs.dueAt })).catch(() => DUE_AT_FAILED),
  ]);
  return {
    form: form?.form ?? null,
    membership: membership?.membership ?? null,
    dueAt: dueAt?.dueAt ?? null,
  };
}

const FORM_FAILED: Resolution = {
  ...NOTHING_RESOLVED,
  form: { failure: 'form-resolution-failed' },
};
const DUE_AT_FAILED: Resolution = { ...NOTHING_RESOLVED, dueAt: 'invalid' };

function membershipFailed({ groups }: ResolutionNeeds): Resolution {
  const snapshot = { snapshotId: uuid4(), memberCount: 0, eligibleCount: 0, failedGroups: groups };
  return { ...NOTHING_RESOLVED, membership: { snapshot, failure: 'snapshot-resolution-failed' } };
}
