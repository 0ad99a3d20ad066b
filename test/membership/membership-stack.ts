import { executeCommand } from '../../api/user-tasks/execute-command';
import type { Person } from '../../domain/user-tasks/actor';
import { startApi, type ApiUnderTest } from '../api/start-api';
import { createTaskStack, type TaskAddress, type TaskStack } from '../harness/task-stack';
import type { PeopleFile } from './people-file';

/** A task as a list shows it. */
export interface Listed {
  readonly id: string;
  readonly status: string;
  readonly candidateSummary: string | null;
  readonly healthCode: string | null;
  readonly allowedActions: readonly string[];
}

/** Worker, database and API, with a directory behind the worker. */
export interface MembershipStack {
  readonly stack: TaskStack;
  readonly api: ApiUnderTest;
  /** Ids of the tasks that a person finds in a scope. */
  listed(by: Person, scope?: string): Promise<readonly string[]>;
  /** How many tasks the scope says there are. */
  total(by: Person, scope?: string): Promise<number>;
  /** The task as the person reads it, or null where there is none for them. */
  seen(task: TaskAddress, by: Person): Promise<Listed | null>;
  close(): Promise<void>;
}

export async function createMembershipStack({ directory }: PeopleFile): Promise<MembershipStack> {
  const stack = await createTaskStack({ directory });
  const api = await startApi({
    database: stack.database,
    executeCommand: (request) => executeCommand(stack.deps, request),
  });
  const page = async (by: Person, scope: string) => {
    const path = `/user-tasks?scope=${scope}&limit=200&includeTotalCount=true`;
    const { status, body } = await api.get(path, by);
    expect(status).toBe(200);
    return body as unknown as { readonly items: readonly Listed[]; readonly totalCount: number };
  };
  return {
    stack,
    api,
    listed: async (by, scope = 'available') => (await page(by, scope)).items.map(({ id }) => id),
    total: async (by, scope = 'available') => (await page(by, scope)).totalCount,
    seen: async ({ taskId }, by) => {
      const { status, body } = await api.get(`/user-tasks/${taskId}`, by);
      return status === 404 ? null : (body as unknown as Listed);
    },
    close: async () => {
      await api.close();
      await stack.close();
    },
  };
}
