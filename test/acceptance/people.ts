import type { Person } from '../../domain/user-tasks/actor';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { MANAGER_GRANTS, OTHER_TENANT, TENANT, WORKER_GRANTS } from '../builders/people';

export const PROVIDER = 'acme-directory';

/** The group to which the tasks of these tests are offered. */
export const ACCOUNTS_PAYABLE = participant('group', 'accounts-payable');

/** Two who may claim, one who supervises, and one who has nothing to do with it. */
export const w1 = someone('w1', WORKER_GRANTS, [ACCOUNTS_PAYABLE]);
export const w2 = someone('w2', WORKER_GRANTS, [ACCOUNTS_PAYABLE]);
export const m = someone('m', MANAGER_GRANTS);
export const x = someone('x', ['user-tasks:view', 'user-tasks:claim']);

/** May do everything, in another tenant, under the names of this one. */
export const foreigner: Person = {
  ...someone('w1', ['*'], [{ ...ACCOUNTS_PAYABLE, tenantId: OTHER_TENANT }]),
  subject: { ...w1.subject, tenantId: OTHER_TENANT },
};

export function someone(
  id: string,
  grants: readonly string[],
  groups: readonly ParticipantReference[] = [],
): Person {
  return { kind: 'person', subject: participant('user', id), groups, grants };
}

/** One of the tenant; shown under a name that does not hold the id. */
export function participant(
  type: ParticipantReference['type'],
  id: string,
  displayName: string | null = null,
): ParticipantReference {
  return { tenantId: TENANT, provider: PROVIDER, type, id, displayName };
}
