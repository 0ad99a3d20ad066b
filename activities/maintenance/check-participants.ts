import { parseParticipant, type ParticipantReference } from '../../domain/user-tasks/participant';
import type { PrismaClient } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { clearIssue, raiseIssue } from '../user-tasks/outside-issues';
import type { TaskKey } from './maintenance-activities';

/**
 * Marks open tasks that show an assignee or requester whom the directory does not know, and clears the mark where it
 * knows them again. Only of providers that the directory speaks for: it cannot know others.
 * @returns where the next page begins, or null
 * @see UT-061, UT-165
 */
export async function checkParticipants(
  database: PrismaClient,
  {
    tenantId,
    after,
    limit,
  }: { readonly tenantId: string; readonly after: TaskKey | null; readonly limit: number },
  onProgress: () => void = () => undefined,
): Promise<{ readonly next: TaskKey | null }> {
  const tasks = await database.userTask.findMany({
    where: { tenantId, completedAt: null, ...(after === null ? {} : { id: { gt: after.taskId } }) },
    select: {
      id: true,
      assignee: true,
      requester: true,
      health: { where: { code: 'participant-display-unknown' } },
    },
    orderBy: { id: 'asc' },
    take: limit,
  });
  const shown = tasks.map(({ assignee, requester }) =>
    [assignee, requester].flatMap(participantOf),
  );
  const unknown = await unknownAmong(database, tenantId, shown.flat());
  for (const [index, { id, health }] of tasks.entries()) {
    const isUnknown = (shown[index] ?? []).some((participant) =>
      unknown.has(participantKeyHash(participant)),
    );
    const task = { tenantId, taskId: id };
    if (isUnknown && health.length === 0)
      await raiseIssue(database, task, 'participant-display-unknown');
    if (!isUnknown && health.length > 0)
      await clearIssue(database, task, 'participant-display-unknown');
    onProgress();
  }
  const last = tasks.at(-1);
  return {
    next: last === undefined || tasks.length < limit ? null : { tenantId, taskId: last.id },
  };
}

function participantOf(value: unknown): readonly ParticipantReference[] {
  if (value === null) return [];
  const participant = parseParticipant(value);
  return typeof participant === 'string' ? [] : [participant];
}

async function unknownAmong(
  database: PrismaClient,
  tenantId: string,
  participants: readonly ParticipantReference[],
): Promise<ReadonlySet<string>> {
  const providers = await database.directoryParticipant.findMany({
    where: { tenantId },
    distinct: ['provider'],
    select: { provider: true },
  });
  const spokenFor = new Set(providers.map(({ provider }) => provider));
  const keys = participants
    .filter(({ provider }) => spokenFor.has(provider))
    .map(participantKeyHash);
  const known = await database.directoryParticipant.findMany({
    where: { tenantId, participantKey: { in: keys } },
    select: { participantKey: true },
  });
  const knownKeys = new Set(known.map(({ participantKey }) => participantKey));
  return new Set(keys.filter((key) => !knownKeys.has(key)));
}
