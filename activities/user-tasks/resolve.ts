import {
  isAmong,
  distinctParticipants,
  type ParticipantReference,
} from '../../domain/user-tasks/participant';
import type { FormReference } from '../../domain/user-tasks/form';
import type {
  MembershipSnapshot,
  Resolution,
  SnapshotFailure,
} from '../../domain/user-tasks/resolution';
import type { FormProviders } from '../../forms/form-provider';
import type { Directory } from '../../people/directory';
import { instantOfLocal } from '../../platform/local-date';
import type { PrismaClient } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import type { ResolveRequest } from './user-task-activities';

/** What resolving needs. */
export interface ResolveDependencies {
  readonly database: PrismaClient;
  readonly forms: FormProviders;
  readonly directory: Directory;
}

/**
 * Pins a form, enumerates groups, finds the instant of a local date: whatever the request asks for.
 * @throws what a provider or the database throws; a directory that fails is an answer, so that the members of groups that
 * did resolve are kept
 * @see UT-067, UT-086, UT-087
 */
export async function resolve(
  deps: ResolveDependencies,
  request: ResolveRequest,
): Promise<Resolution> {
  const { needs } = request;
  return {
    form: needs.form === null ? null : await resolveForm(deps, request.tenantId, needs.form),
    membership: needs.groups.length === 0 ? null : await resolveMembership(deps, request),
    dueAt: needs.dueAt === null ? null : (instantOfLocal(needs.dueAt) ?? 'invalid'),
  };
}

async function resolveForm(
  { forms }: ResolveDependencies,
  tenantId: string,
  reference: FormReference,
): Promise<Resolution['form']> {
  const provider = forms(reference.providerName);
  if (provider === null) return { failure: 'form-provider-missing' };
  const pinned = await provider.resolve(tenantId, reference);
  return pinned === null ? { failure: 'form-resolution-failed' } : { pinned };
}

async function resolveMembership(
  deps: ResolveDependencies,
  { tenantId, taskId, snapshotId, needs }: ResolveRequest,
): Promise<{ readonly snapshot: MembershipSnapshot; readonly failure: SnapshotFailure | null }> {
  if (!deps.directory.isReal) {
    const snapshot = { snapshotId, memberCount: 0, eligibleCount: 0, failedGroups: needs.groups };
    return { snapshot, failure: 'snapshot-directory-missing' };
  }
  const enumerated = await Promise.all(
    needs.groups.map(async (group) => ({
      group,
      members: await deps.directory.members(group).catch(() => null),
    })),
  );
  const failedGroups = enumerated
    .filter(({ members }) => members === null)
    .map(({ group }) => group);
  const members = distinctParticipants(enumerated.flatMap(({ members }) => members ?? [])).filter(
    (member) => member.tenantId === tenantId && member.type === 'user',
  );
  await storeMembers(deps.database, tenantId, taskId, snapshotId, members);
  const eligible = members.filter((member) => !isAmong(member, needs.excludedUsers));
  const snapshot = {
    snapshotId,
    memberCount: members.length,
    eligibleCount: eligible.length,
    failedGroups,
  };
  return { snapshot, failure: failedGroups.length === 0 ? null : 'snapshot-resolution-failed' };
}

/** Written before the task has a row; the projection that names the snapshot takes them from here. */
async function storeMembers(
  database: PrismaClient,
  tenantId: string,
  taskId: string,
  snapshotId: string,
  members: readonly ParticipantReference[],
): Promise<void> {
  await database.userTaskSnapshotMember.createMany({
    skipDuplicates: true,
    data: members.map(({ provider, id, displayName, ...rest }) => ({
      tenantId,
      taskId,
      snapshotId,
      provider,
      participantId: id,
      displayName,
      participantKey: participantKeyHash({ provider, id, displayName, ...rest }),
    })),
  });
}
