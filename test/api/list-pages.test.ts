import { LIST_SORTS } from '../../api/user-tasks/list-query';
import { clerk, manager } from '../builders/people';
import { CREATED_AT, later } from '../builders/task';
import { listReader, type Page } from './list-reader';
import { aDistinctTask, clear, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(() => clear(api.database));
afterAll(() => api.close());

const { list, walk } = listReader(() => api);

describe('order and pages', () => {
  const DUE = [
    null,
    null,
    null,
    later(CREATED_AT, 10),
    later(CREATED_AT, 10),
    later(CREATED_AT, 20),
    later(CREATED_AT, 30),
  ];

  async function seedMany(): Promise<void> {
    const names = ['b', 'A', 'a', 'C', 'ä', 'b', 'z'];
    for (const [index, dueAt] of DUE.entries()) {
      const task = aDistinctTask(
        { title: names[index]!, dueAt, priority: [10, 20, 10, 30, 20, 10, 0][index]! },
        { now: later(CREATED_AT, Math.floor(index / 2)) },
      );
      await seed(api.database, task);
    }
  }

  it('reproduces the whole list by pages of any size, in every sort and direction (UT-256, UT-323)', async () => {
    await seedMany();
    for (const scope of ['available', 'all']) {
      const by = scope === 'all' ? manager : clerk;
      for (const sort of LIST_SORTS) {
        for (const direction of ['asc', 'desc']) {
          const query = `scope=${scope}&sort=${sort}&direction=${direction}`;
          const whole = await walk(query, by, 200);
          expect(new Set(whole).size).toBe(7);
          for (const limit of [1, 2, 3]) expect(await walk(query, by, limit)).toEqual(whole);
        }
      }
    }
  });

  it('sorts by each value, ties by ascending id, tasks without due date last in both directions (UT-254, UT-255)', async () => {
    await seedMany();
    const rows = await api.database.userTask.findMany({ orderBy: { id: 'asc' } });
    const byValue = (
      value: (row: (typeof rows)[number]) => number,
      sign: number,
    ): readonly string[] =>
      rows
        .toSorted((a, b) => (value(a) < value(b) ? -sign : value(a) > value(b) ? sign : 0))
        .map(({ id }) => id);
    for (const [direction, sign] of [
      ['asc', 1],
      ['desc', -1],
    ] as const) {
      const sorted = (sort: string): Promise<readonly string[]> =>
        walk(`scope=available&sort=${sort}&direction=${direction}`, clerk, 200);
      expect(await sorted('created')).toEqual(
        byValue(({ createdAt }) => createdAt.getTime(), sign),
      );
      expect(await sorted('priority')).toEqual(byValue(({ priority }) => priority, sign));
      expect(await sorted('updated')).toEqual(
        byValue(({ updatedAt }) => updatedAt.getTime(), sign),
      );
      expect(await sorted('due')).toEqual(
        byValue(({ dueAt }) => dueAt?.getTime() ?? sign * Infinity, sign),
      );
    }
    const byTitle = (await list('scope=available&sort=title', clerk)).items.map(({ title }) =>
      title.toLowerCase(),
    );
    expect(byTitle.filter((title) => title < 'z' && title !== 'ä')).toEqual([
      'a',
      'a',
      'b',
      'b',
      'c',
    ]);
  });

  it('takes created for an unknown sort and ascending for an unknown direction (UT-254)', async () => {
    await seedMany();
    expect(await walk('scope=available&sort=bogus&direction=sideways', clerk, 200)).toEqual(
      await walk('scope=available&sort=created&direction=asc', clerk, 200),
    );
  });

  it('ignores a cursor that it cannot read or that was made for another sort, direction or scope (UT-257, UT-324)', async () => {
    await seedMany();
    const query = 'scope=available&sort=created&direction=asc&limit=2';
    const first = await list(query, clerk);
    const ids = (page: Page): readonly string[] => page.items.map(({ id }) => id);
    const forged = Buffer.from(
      JSON.stringify(['available:created:asc', '99999999999999999999', first.items[0]!.id]),
    ).toString('base64url');
    for (const cursor of ['not-a-cursor', '', '%00', forged, 'W10'])
      expect(ids(await list(`${query}&cursor=${cursor}`, clerk))).toEqual(ids(first));
    const cursor = first.nextCursor!;
    for (const other of [
      'scope=available&sort=due&direction=asc',
      'scope=available&sort=created&direction=desc',
      'scope=assigned&sort=created&direction=asc',
    ]) {
      expect(ids(await list(`${other}&limit=2&cursor=${cursor}`, clerk))).toEqual(
        ids(await list(`${other}&limit=2`, clerk)),
      );
    }
  });

  it('limits a page to 50 unless asked and to 200 at most (UT-249)', async () => {
    await Promise.all(Array.from({ length: 60 }, () => seed(api.database, aDistinctTask())));
    for (const [query, length] of [
      ['', 50],
      ['limit=0', 50],
      ['limit=-3', 50],
      ['limit=many', 50],
      ['limit=55', 55],
      ['limit=9999', 60],
    ] as const) {
      expect((await list(`scope=available&${query}`, clerk)).items).toHaveLength(length);
    }
  });

  it('counts only when asked, the same on every page (UT-258, UT-324)', async () => {
    await seedMany();
    const first = await list('scope=available&limit=3&includeTotalCount=true', clerk);
    const second = await list(
      `scope=available&limit=3&includeTotalCount=true&cursor=${first.nextCursor!}`,
      clerk,
    );
    expect([first.totalCount, second.totalCount]).toEqual([7, 7]);
    expect(second.items.filter(({ id }) => first.items.some((item) => item.id === id))).toEqual([]);
    expect(await list('scope=available', clerk)).not.toHaveProperty('totalCount');
  });

  it('loses no row that stays, while others come and go between pages (UT-256)', async () => {
    await seedMany();
    const stable = await walk('scope=available&sort=priority', clerk, 200);
    const first = await list('scope=available&sort=priority&limit=3', clerk);
    await seed(api.database, aDistinctTask({ title: 'new first', priority: 0 }));
    await api.database.userTaskCandidate.updateMany({
      where: { taskId: first.items[0]!.id },
      data: { claimable: false },
    });
    const rest = await list(
      `scope=available&sort=priority&limit=200&cursor=${first.nextCursor!}`,
      clerk,
    );
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(stable);
  });
});
