import fc from 'fast-check';
import { executeCommand } from '../../api/user-tasks/execute-command';
import type { Instant } from '../../domain/instant';
import type { Person } from '../../domain/user-tasks/actor';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import type { TaskStatus } from '../../domain/user-tasks/task';
import { inputsOf, modelConfig } from '../arbitraries/model-config';
import { TaskModel } from '../arbitraries/task-model';
import { remoteSteps, type Answer, type RemoteTaskUnderTest } from '../arbitraries/task-steps';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { startApi, type ApiUnderTest } from './start-api';

/** The task as a response tells it. */
interface TaskOnWire {
  readonly status: TaskStatus;
  readonly revision: number;
  readonly assignee: { readonly id: string } | null;
  readonly priority: number;
  readonly dueAt: Instant | null;
}

describe('a task through any history of requests', () => {
  let stack: TaskStack;
  let api: ApiUnderTest;
  beforeAll(async () => {
    stack = await createTaskStack();
    const { deps, database } = stack;
    api = await startApi({ database, executeCommand: (request) => executeCommand(deps, request) });
  });
  afterAll(async () => {
    await api.close();
    await stack.close();
  });

  it('answers over HTTP what the model answers, whatever is sent (UT-110, UT-116, UT-138, UT-142, UT-144, UT-147, UT-148)', async () => {
    const config = modelConfig().map((given) => ({ ...given, dueAt: null, closesAtOnce: true }));
    await fc.assert(
      fc.asyncProperty(
        config,
        fc.commands(remoteSteps(), { maxCommands: 14 }),
        async (given, steps) => {
          const task = await stack.raise(
            { ...inputsOf(given), title: 'Any' },
            { owner: 'oneOfAnything' },
          );
          const real: RemoteTaskUnderTest = { send: (command) => send(api, task, command) };
          await fc.asyncModelRun(() => ({ model: new TaskModel(given), real }), steps);
        },
      ),
      { numRuns: 25 },
    );
  }, 300_000);
});

async function send(
  api: ApiUnderTest,
  { taskId }: RaisedTask,
  command: TaskCommand,
): Promise<Answer> {
  const { method, path, body } = requestOf(command);
  const { expectedRevision, operationId, actor } = command;
  const json = { expectedRevision, operationId, ...body };
  const answer = await api.send(method, `/user-tasks/${taskId}${path}`, actor as Person, { json });
  if (answer.status >= 400) return { code: String(answer.body['code']), task: null };
  const { status, revision, assignee, priority, dueAt } = answer.body['task'] as TaskOnWire;
  return {
    code: null,
    task: { status, revision, assignee: assignee?.id ?? null, priority, dueAt },
  };
}

function requestOf(command: TaskCommand): { method: string; path: string; body: object } {
  switch (command.kind) {
    case 'update':
      return {
        method: 'PATCH',
        path: '',
        body: { priority: command.priority, dueAt: command.dueAt },
      };
    case 'assign': {
      const { provider, type, id, displayName } = command.assignee;
      return {
        method: 'POST',
        path: '/assign',
        body: { assignee: { provider, type, id, displayName }, reason: command.reason },
      };
    }
    case 'complete':
      return {
        method: 'POST',
        path: '/complete',
        body: { actionKey: command.actionKey, data: command.data },
      };
    case 'release':
    case 'cancel':
      return { method: 'POST', path: `/${command.kind}`, body: { reason: command.reason } };
    case 'claim':
      return { method: 'POST', path: '/claim', body: {} };
    case 'retryResolution':
      return { method: 'POST', path: '/retry-resolution', body: {} };
  }
}
