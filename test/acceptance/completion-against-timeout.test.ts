import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpStack, type ApiNode, type HttpStack } from '../harness/http-stack';
import type { RaisedTask } from '../harness/task-stack';
import { participant, m, w1 } from './people';

const ROUNDS = 100;
const AT_ONCE = 10;
const LEAD_MS = 1_500;

interface Round {
  readonly task: RaisedTask;
  readonly answers: readonly { readonly status: number; readonly code: unknown }[];
}

describe('a completion against the timeout', () => {
  let stack: HttpStack;
  let nodes: readonly ApiNode[];
  beforeAll(async () => {
    stack = await createHttpStack();
    nodes = [stack.node, await stack.startNode()];
  }, 60_000);
  afterAll(() => stack.close());

  /** Lets the due date come, and has both nodes complete the task `offsetMs` before it. */
  async function race(task: RaisedTask, dueAt: number, offsetMs: number): Promise<Round> {
    const path = `/user-tasks/${task.taskId}`;
    const due = { expectedRevision: 1, dueAt: new Date(dueAt).toISOString() };
    expect((await stack.as(m).patch(path, due)).status).toBe(200);
    await sleep(Math.max(0, dueAt - offsetMs - Date.now()));
    const answers = await Promise.all(
      nodes.map(async (node, index) => {
        const body = { expectedRevision: 2, operationId: `node-${index}`, actionKey: 'approve' };
        const { status, body: answer } = await node.as(w1).post(`${path}/complete`, body);
        return { status, code: answer['code'] };
      }),
    );
    return { task, answers };
  }

  async function checkRound({ task, answers }: Round): Promise<string> {
    const result = (await task.owner.result()) as { readonly actionKey: string };
    const won = result.actionKey === 'approve' ? 'Completed' : 'TimedOut';
    const { events } = await stack.as(m).readOnce(task.taskId, won);
    const kinds = events.items.map(({ kind }) => kind);
    expect(kinds).toEqual(
      won === 'Completed'
        ? ['Created', 'ScheduleUpdated', 'CompletionRequested', 'Completed']
        : ['Created', 'ScheduleUpdated', 'TimeoutRequested', 'TimedOut'],
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(won === 'Completed' ? 1 : 0);
    for (const { status, code } of answers.filter((answer) => !accepted.includes(answer))) {
      expect(status).toBe(409);
      expect(['revision-conflict', 'transition-in-progress', 'terminal']).toContain(code);
    }
    const kept = await stack.database.userTaskOperation.findMany({
      where: { taskId: task.taskId, kind: { in: ['Complete', 'Timeout'] } },
    });
    expect(kept).toMatchObject([
      { kind: won === 'Completed' ? 'Complete' : 'Timeout', status: 'Completed' },
    ]);
    return won;
  }

  it('S18 has one winner, one result and one terminal event in each of a hundred rounds on two nodes (UT-377, UT-110, UT-151)', async () => {
    const winners: string[] = [];
    // How long before the due date requests must leave for either to win: found while racing.
    let offsetMs = 100;
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const tasks = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          stack.raise({
            title: 'Race',
            assignee: participant('user', 'w1'),
            dueAt: 'P1D',
            enableTimeoutOutcome: true,
          }),
        ),
      );
      const dueAt = Date.now() + LEAD_MS;
      const rounds = await Promise.all(
        tasks.map((task, index) => race(task, dueAt, offsetMs + (index - AT_ONCE / 2) * 20)),
      );
      const ended = await Promise.all(rounds.map(checkRound));
      const completed = ended.filter((winner) => winner === 'Completed').length;
      offsetMs += (AT_ONCE / 2 - completed) * 20;
      winners.push(...ended);
    }
    expect(winners).toHaveLength(ROUNDS);
    expect(new Set(winners)).toEqual(new Set(['Completed', 'TimedOut']));
  }, 240_000);
});
