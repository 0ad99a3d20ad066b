import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDirectory, type Directory } from '../../people/directory';
import { staticDirectory } from '../../people/static-directory';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import { CLERKS, group, OTHER_TENANT, PROVIDER, TENANT, user } from '../builders/people';

async function everybody(directory: Directory, tenantId = TENANT): Promise<ParticipantReference[]> {
  const found: ParticipantReference[] = [];
  for await (const participant of directory.participants(tenantId)) found.push(participant);
  return found;
}

describe('the directory of an installation that has none', () => {
  it('knows nobody, and says that it is not real (UT-060)', async () => {
    expect(emptyDirectory.isReal).toBe(false);
    expect(await emptyDirectory.members(CLERKS)).toBeNull();
    expect(await everybody(emptyDirectory)).toEqual([]);
  });
});

describe('a directory in a file', () => {
  const FILE = {
    tenantId: TENANT,
    provider: PROVIDER,
    users: [{ id: 'ann', displayName: 'Ann Ash' }, { id: 'ben' }],
    groups: [
      { id: 'clerks', displayName: 'Clerks', members: ['ann', 'unlisted'] },
      { id: 'group,with;delimiters', members: [] },
    ],
  };
  let folder: string;
  let path: string;
  let directory: Directory;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'directory-'));
    path = join(folder, 'people.json');
    await writeFile(path, JSON.stringify(FILE));
    directory = staticDirectory(path);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is real (UT-060)', () => {
    expect(directory.isReal).toBe(true);
  });

  it('enumerates the members of a group, by name where it knows one (UT-066)', async () => {
    expect(await directory.members(CLERKS)).toEqual([
      user('ann', { displayName: 'Ann Ash' }),
      user('unlisted', { displayName: null }),
    ]);
  });

  it('tells an empty group from one that it does not know (UT-067, UT-071)', async () => {
    expect(await directory.members(group('group,with;delimiters'))).toEqual([]);
    expect(await directory.members(group('nobody'))).toBeNull();
  });

  it.each([
    ['tenant', group('clerks', { tenantId: OTHER_TENANT })],
    ['provider', group('clerks', { provider: 'other' })],
    ['type', user('clerks')],
    ['letter case', group('Clerks')],
  ])('knows no group of another %s (UT-051, UT-056)', async (_name, other) => {
    expect(await directory.members(other)).toBeNull();
  });

  it('lists the people and groups of its tenant only', async () => {
    expect(await everybody(directory)).toEqual([
      user('ann', { displayName: 'Ann Ash' }),
      user('ben', { displayName: null }),
      group('clerks', { displayName: 'Clerks' }),
      group('group,with;delimiters', { displayName: null }),
    ]);
    expect(await everybody(directory, OTHER_TENANT)).toEqual([]);
  });

  it('is read anew each time, so that a change counts at once', async () => {
    expect(await directory.members(CLERKS)).toHaveLength(2);
    await writeFile(
      path,
      JSON.stringify({ ...FILE, groups: [{ id: 'clerks', members: ['ben'] }] }),
    );
    expect(await directory.members(CLERKS)).toEqual([user('ben', { displayName: null })]);
  });

  it('takes the empty tenant and the usual provider unless it names them (UT-023, UT-053)', async () => {
    await writeFile(path, JSON.stringify({ users: [{ id: 'ann' }], groups: [] }));

    expect(await everybody(directory, '')).toEqual([
      user('ann', { tenantId: '', provider: 'default', displayName: null }),
    ]);
  });

  it.each([
    ['is gone', null],
    ['is no JSON', '{'],
    ['has another shape', '{"users":{}}'],
  ])('fails when it is asked and its file %s (UT-061)', async (_name, text) => {
    if (text === null) await rm(path);
    else await writeFile(path, text);

    await expect(directory.members(CLERKS)).rejects.toThrow();
    await expect(everybody(directory)).rejects.toThrow();
  });
});
