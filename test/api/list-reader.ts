import type { Person } from '../../domain/user-tasks/actor';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import { aDistinctTask, seed } from './seed-task';
import type { ApiUnderTest } from './start-api';

/** A page as far as tests look at it. */
export interface Page {
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
  }[];
  readonly nextCursor: string | null;
  readonly totalCount?: number;
}

/** Fills and reads the list of one API. */
export interface ListReader {
  /** Writes tasks titled after their keys. */
  readonly given: (tasks: Readonly<Record<string, Partial<TaskInputs>>>) => Promise<void>;
  readonly list: (query: string, by: Person) => Promise<Page>;
  readonly titles: (query: string, by: Person) => Promise<readonly string[]>;
  /** The ids of all pages of so many rows, in order. */
  readonly walk: (query: string, by: Person, limit: number) => Promise<readonly string[]>;
}

export function listReader(api: () => ApiUnderTest): ListReader {
  const list = async (query: string, by: Person): Promise<Page> => {
    const { status, body } = await api().get(`/user-tasks?${query}`, by);
    expect(status).toBe(200);
    return body as unknown as Page;
  };
  return {
    list,
    given: async (tasks) => {
      for (const [title, inputs] of Object.entries(tasks)) {
        await seed(api().database, aDistinctTask({ title, ...inputs }));
      }
    },
    titles: async (query, by) => (await list(query, by)).items.map(({ title }) => title),
    walk: async (query, by, limit) => {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list(
          `${query}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
          by,
        );
        expect(page.items.length).toBeLessThanOrEqual(limit);
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return ids;
    },
  };
}
