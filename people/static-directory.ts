import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ParticipantReference, isSameParticipant } from '../domain/user-tasks/participant';
import type { Directory } from './directory';

const fileSchema = z.object({
  tenantId: z.string().default(''),
  provider: z.string().min(1).default('default'),
  users: z.array(
    z.object({ id: z.string().min(1), displayName: z.string().nullable().default(null) }),
  ),
  groups: z.array(
    z.object({
      id: z.string().min(1),
      displayName: z.string().nullable().default(null),
      members: z.array(z.string()),
    }),
  ),
});

/**
 * A directory in a JSON file: `{ tenantId?, provider?, users: [{ id, displayName? }], groups: [{ id, displayName?,
 * members: [user id] }] }`. Read anew each time it is asked, so that a change of the file counts at once.
 * @throws (when asked) when the file cannot be read
 */
export function staticDirectory(path: string): Directory {
  const read = async (): Promise<z.infer<typeof fileSchema>> =>
    fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  return {
    isReal: true,
    members: async (group) => {
      const file = await read();
      const found = file.groups.find(({ id }) =>
        isSameParticipant(referenceOf(file, 'group', id, null), group),
      );
      if (found === undefined) return null;
      const names = new Map(file.users.map(({ id, displayName }) => [id, displayName]));
      return found.members.map((id) => referenceOf(file, 'user', id, names.get(id) ?? null));
    },
    participants: async function* (tenantId) {
      const file = await read();
      if (file.tenantId !== tenantId) return;
      for (const { id, displayName } of file.users)
        yield referenceOf(file, 'user', id, displayName);
      for (const { id, displayName } of file.groups)
        yield referenceOf(file, 'group', id, displayName);
    },
  };
}

function referenceOf(
  { tenantId, provider }: Pick<z.infer<typeof fileSchema>, 'tenantId' | 'provider'>,
  type: ParticipantReference['type'],
  id: string,
  displayName: string | null,
): ParticipantReference {
  return { tenantId, provider, type, id, displayName };
}
