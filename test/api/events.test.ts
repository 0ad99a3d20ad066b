import { clerk, colleague, manager } from '../builders/people';
import { INPUTS } from './an-invoice-task';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('the timeline', () => {
  it('is empty before the claim and afterwards tells what happened, never who by id, why or with what (UT-157, UT-158, UT-159, UT-160, UT-308)', async () => {
    const anonymous = { ...clerk, subject: { ...clerk.subject, displayName: null } };
    const task = aDistinctTask(INPUTS)
      .claimedBy(anonymous)
      .releasedBy(anonymous, { reason: 'canary-reason' })
      .claimedBy(anonymous);
    const id = await seed(api.database, task);
    expect((await api.get(`/user-tasks/${id}/events`, colleague)).body).toEqual({
      items: [],
      nextCursor: null,
    });
    const { body, text } = await api.get(`/user-tasks/${id}/events`, clerk);
    const items = body['items'] as { kind: string; actorDisplayName: string | null }[];
    expect(items.map(({ kind }) => kind)).toEqual(['Created', 'Claimed', 'Released', 'Claimed']);
    expect(Object.keys(items[0]!).sort()).toEqual([
      'actorDisplayName',
      'id',
      'kind',
      'occurredAt',
      'summary',
    ]);
    expect(items.every(({ actorDisplayName }) => actorDisplayName === null)).toBe(true);
    expect(text).not.toMatch(/clerk|canary/);
  });

  it('pages by cursor in the order of revisions, and ends on an unknown cursor (UT-161, UT-228)', async () => {
    const id = await seed(
      api.database,
      aDistinctTask(INPUTS)
        .claimedBy(clerk)
        .releasedBy(clerk)
        .claimedBy(clerk)
        .completed({ actionKey: 'reject' }),
    );
    const kinds: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.get(
        `/user-tasks/${id}/events?limit=2&cursor=${cursor}`.replace(/&cursor=$/, ''),
        manager,
      );
      kinds.push(...(body['items'] as { kind: string }[]).map(({ kind }) => kind));
      if (body['nextCursor'] === null) break;
      cursor = body['nextCursor'] as string;
    }
    expect(kinds).toEqual([
      'Created',
      'Claimed',
      'Released',
      'Claimed',
      'CompletionRequested',
      'Completed',
    ]);
    expect((await api.get(`/user-tasks/${id}/events?cursor=nonsense`, manager)).body).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it('keeps refused privileged operations for managers (UT-405)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    const event = {
      tenantId: 'acme',
      taskId: id,
      epoch: 1,
      revision: 2,
      ordinal: 1,
      id: `evt_${id}`,
      eventType: 'PrivilegedOperationFailed',
      occurredAt: new Date(),
    };
    await api.database.userTaskEvent.create({ data: event });
    const kindsFor = async (reader: typeof clerk): Promise<string[]> =>
      ((await api.get(`/user-tasks/${id}/events`, reader)).body['items'] as { kind: string }[]).map(
        ({ kind }) => kind,
      );
    expect(await kindsFor(manager)).toContain('PrivilegedOperationFailed');
    expect(await kindsFor(clerk)).not.toContain('PrivilegedOperationFailed');
  });
});
