import type { Person } from '../../domain/user-tasks/actor';
import { isAmong } from '../../domain/user-tasks/participant';
import type { TaskState } from '../../domain/user-tasks/task';
import { withTenant, type Participant } from '../participants';

/** Who acts: a user id of the tasks' own directory, or a full participant. Members of every candidate group. */
export type By = string | Participant;

const WORKER_GRANTS = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];
/** Grants of somebody who may cancel. */
export const MANAGER_GRANTS = [...WORKER_GRANTS, 'user-tasks:supervise', 'user-tasks:cancel'];

/** Whoever is named, else who holds the task, else the first candidate, else some member of the candidate groups. */
export function personFor(task: TaskState, by: By | undefined): Person {
  const { inputs, tenantId, holding } = task;
  const candidate = inputs.candidateUsers.find((user) => !isAmong(user, inputs.excludedUsers));
  const likely = holding?.assignee ?? candidate ?? null;
  const provider = likely?.provider ?? inputs.candidateGroups[0]?.provider ?? 'default';
  const named =
    typeof by === 'string' ? ({ provider, type: 'user', id: by, displayName: by } as const) : by;
  const subject = named === undefined ? likely : withTenant(named, tenantId);
  return {
    kind: 'person',
    subject: subject ?? { tenantId, provider, type: 'user', id: 'somebody', displayName: null },
    groups: inputs.candidateGroups,
    grants: WORKER_GRANTS,
  };
}
