import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDirectory, type Directory } from '../../people/directory';
import { staticDirectory } from '../../people/static-directory';
import { PROVIDER, TENANT } from '../builders/people';

/** Who belongs to which group, by ids. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** A real directory over a file that a test rewrites, takes away, or has never installed. */
export interface PeopleFile {
  readonly directory: Directory;
  /** How often members of a group were asked for. */
  asked(): number;
  /** The directory is installed and knows these groups, and no others. */
  knows(groups: Groups): Promise<void>;
  /** The directory is installed and fails whatever it is asked. */
  fails(): Promise<void>;
  /** There is no directory. */
  isMissing(): void;
  remove(): Promise<void>;
}

export async function createPeopleFile(): Promise<PeopleFile> {
  const folder = await mkdtemp(join(tmpdir(), 'people-'));
  const path = join(folder, 'people.json');
  const real = staticDirectory(path);
  let current = real;
  let asked = 0;
  const write = async (content: unknown): Promise<void> => {
    current = real;
    await writeFile(path, JSON.stringify(content));
  };
  return {
    directory: {
      get isReal() {
        return current.isReal;
      },
      members: (group) => {
        asked += 1;
        return current.members(group);
      },
      participants: (tenantId) => current.participants(tenantId),
    },
    asked: () => asked,
    knows: (groups) =>
      write({
        tenantId: TENANT,
        provider: PROVIDER,
        users: [...new Set(Object.values(groups).flat())].map((id) => ({ id, displayName: id })),
        groups: Object.entries(groups).map(([id, members]) => ({ id, members })),
      }),
    fails: () => write('neither users nor groups'),
    isMissing: () => {
      current = emptyDirectory;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
