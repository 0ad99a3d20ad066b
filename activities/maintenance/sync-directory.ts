import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { Directory } from '../../people/directory';
import type { PrismaClient } from '../../prisma/generated/client';
import { participantKeyHash } from '../../prisma/participant-key-hash';

const BATCH = 500;

/**
 * Brings the people and groups of a tenant into the database, from where the participant picker reads them: new ones,
 * changed names, and those that have gone. A directory that fails half-way takes nobody away.
 * @returns how many there are
 * @throws whatever the directory throws
 * @see UT-241
 */
export async function syncParticipants(
  database: PrismaClient,
  directory: Directory,
  tenantId: string,
  onProgress: () => void = () => undefined,
): Promise<number> {
  const [{ begun } = { begun: new Date() }] = await database.$queryRaw<
    { begun: Date }[]
  >`select now() as begun`;
  let count = 0;
  let batch: ParticipantReference[] = [];
  const write = async (): Promise<void> => {
    await upsert(database, tenantId, batch);
    count += batch.length;
    batch = [];
    onProgress();
  };
  for await (const participant of directory.participants(tenantId)) {
    if (participant.tenantId !== tenantId) continue;
    batch.push(participant);
    if (batch.length >= BATCH) await write();
  }
  await write();
  // By the database's clock throughout, and in whole milliseconds, as they are stored.
  await database.$executeRaw`
    delete from directory_participants where tenant_id = ${tenantId} and seen_at < date_trunc('milliseconds', ${begun}::timestamptz)`;
  return count;
}

async function upsert(
  database: PrismaClient,
  tenantId: string,
  participants: readonly ParticipantReference[],
): Promise<void> {
  const rows = new Map(
    participants.map((participant) => [participantKeyHash(participant), participant]),
  );
  const document = [...rows].map(([key, { provider, type, id, displayName }]) => ({
    key,
    provider,
    type,
    id,
    displayName,
  }));
  await database.$executeRaw`
    insert into directory_participants (tenant_id, participant_key, provider, type, participant_id, display_name, seen_at)
    select ${tenantId}, p.key, p.provider, p.type, p.id, p."displayName", now()
    from json_to_recordset(${JSON.stringify(document)}::json)
      as p(key text, provider text, type text, id text, "displayName" text)
    on conflict (tenant_id, participant_key) do update set display_name = excluded.display_name, seen_at = excluded.seen_at`;
}
