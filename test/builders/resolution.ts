import type { FormReference, PinnedForm } from '../../domain/user-tasks/form';
import type { HealthCode } from '../../domain/user-tasks/health';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type {
  MembershipSnapshot,
  Resolution,
  SnapshotFailure,
} from '../../domain/user-tasks/resolution';
import type { TaskState } from '../../domain/user-tasks/task';
import { CLERKS } from './people';

/** What the step of a task with a form asks for. */
export const REVIEW_FORM: FormReference = {
  providerName: 'acme-forms',
  key: 'invoice-review',
  binding: 'latest',
  version: null,
};

export function pinnedForm(overrides: Partial<PinnedForm> = {}): PinnedForm {
  const field = { key: 'amount', label: 'Amount', type: 'number', required: true };
  return {
    requested: REVIEW_FORM,
    pinnedVersion: '3',
    metadata: { layout: 'two columns' },
    fields: [{ ...field, masked: false, canReveal: false }],
    ...overrides,
  };
}

/** The part of a resolution in which the form was pinned. */
export function pinning(form: PinnedForm = pinnedForm()): Partial<Resolution> {
  return { form: { pinned: form } };
}

/** The part of a resolution in which so many eligible members were found in every group. */
export function enumerating(
  memberCount: number,
  overrides: Partial<MembershipSnapshot> = {},
): Partial<Resolution> {
  const found = { snapshotId: 'members-1', memberCount, eligibleCount: memberCount };
  return { membership: { snapshot: { ...found, failedGroups: [], ...overrides }, failure: null } };
}

/** The part of a resolution in which groups could not be enumerated; what was found in others is kept. */
export function notEnumerating(
  failedGroups: readonly ParticipantReference[] = [CLERKS],
  kept: Partial<MembershipSnapshot> = {},
  failure: SnapshotFailure = 'snapshot-resolution-failed',
): Partial<Resolution> {
  const nobody = { snapshotId: 'members-1', memberCount: 0, eligibleCount: 0 };
  return { membership: { snapshot: { ...nobody, failedGroups, ...kept }, failure } };
}

export function codesOf({ health }: Pick<TaskState, 'health'>): readonly HealthCode[] {
  return health.map(({ code }) => code);
}
