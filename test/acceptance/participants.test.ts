import { syncParticipants } from '../../activities/maintenance/sync-directory';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { Directory } from '../../people/directory';
import { startApi, type ApiUnderTest } from '../api/start-api';
import { OTHER_TENANT, TENANT } from '../builders/people';
import { participant, someone, w1 } from './people';

const picker = someone('picker', ['user-tasks:view', 'user-tasks/participants:view']);

function directoryOf(participants: readonly ParticipantReference[]): Directory {
  return {
    isReal: true,
    members: () => Promise.resolve(null),
    // eslint-disable-next-line @typescript-eslint/require-await
    participants: async function* () {
      yield* participants;
    },
  };
}

describe('looking up participants', () => {
  let api: ApiUnderTest;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.close());

  const find = async (query = '') => {
    const { status, body } = await api.get(`/user-task-participants${query}`, picker);
    expect(status).toBe(200);
    return body as {
      readonly items: readonly { readonly id: string }[];
      readonly nextCursor: string | null;
    };
  };
  const ids = async (query = '') => (await find(query)).items.map(({ id }) => id);
  const isOffered = async (by = picker) =>
    (await api.get('/user-tasks/capabilities', by)).body['participantPicker'];

  /** Brings people into the database as the worker does. */
  const bring = (participants: readonly ParticipantReference[], tenantId = TENANT) =>
    syncParticipants(api.database, directoryOf(participants), tenantId);

  it('finds nobody without a directory, and is not offered then (UT-241, UT-224, UT-060)', async () => {
    expect(await find()).toEqual({ items: [], nextCursor: null });
    expect(await isOffered()).toBe(false);
  });

  it('finds people and groups of the own tenant by part of name or id, and is offered with the permission alone (UT-241, UT-224, UT-045)', async () => {
    await bring([
      participant('user', 'u-1', 'Ada Lovelace'),
      participant('user', 'u-2', 'Alan 100%'),
      participant('group', 'auditors', null),
    ]);
    const stranger = { ...participant('user', 'u-9', 'Ada Stranger'), tenantId: OTHER_TENANT };
    await bring([stranger], OTHER_TENANT);
    expect((await find()).items).toEqual([
      {
        kind: 'user',
        type: 'user',
        provider: 'acme-directory',
        id: 'u-1',
        displayName: 'Ada Lovelace',
      },
      expect.objectContaining({ id: 'u-2' }),
      expect.objectContaining({ kind: 'group', type: 'group', id: 'auditors', displayName: null }),
    ]);
    expect(await ids('?search=aDa')).toEqual(['u-1']);
    expect(await ids('?search=U-')).toEqual(['u-1', 'u-2']);
    expect(await ids('?search=audit')).toEqual(['auditors']);
    expect(await ids('?search=100%25')).toEqual(['u-2']);
    expect(await ids('?search=_')).toEqual([]);
    expect(await ids('?type=group')).toEqual(['auditors']);
    expect(await ids('?type=robot')).toHaveLength(3);
    expect(await isOffered()).toBe(true);
    expect(await isOffered(w1)).toBe(false);
    const { status, body } = await api.get('/user-task-participants', w1);
    expect([status, body['code']]).toEqual([403, 'permission-denied']);
    const everywhere = someone('x', ['user-tasks/*:view']);
    expect((await api.get('/user-task-participants', everywhere)).status).toBe(200);
  });

  it('pages by name, fifty at a time unless asked otherwise and never more than two hundred (UT-241)', async () => {
    const number = (at: number): string => String(at).padStart(3, '0');
    // Names twice each, so that the id breaks ties.
    await bring(
      Array.from({ length: 210 }, (_, at) =>
        participant('user', `u-${number(at)}`, `Name ${number(Math.floor(at / 2))}`),
      ),
    );
    for (const [query, count] of [
      ['', 50],
      ['?limit=7', 7],
      ['?limit=0', 1],
      ['?limit=-5', 1],
      ['?limit=1000', 200],
      ['?limit=many', 50],
    ] as const) {
      expect([query, (await find(query)).items.length]).toEqual([query, count]);
    }
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const more = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await find(`?limit=33${more}`);
      walked.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(walked).toHaveLength(210);
    expect(new Set(walked).size).toBe(210);
    expect([...walked].sort()).toEqual(Array.from({ length: 210 }, (_, at) => `u-${number(at)}`));
  });
});
