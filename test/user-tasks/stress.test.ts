import type { CommandKind } from '../../domain/user-tasks/commands';
import { sweep } from '../../api/sweeper';
import { CLERKS, user } from '../builders/people';
import {
  agePending,
  clerk,
  colleague,
  expectAgreement,
  manager,
  refusal,
  rowOf,
  send,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

/** Numbers that are the same for the same seed, so that a failure comes back. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TASKS = 12;
const ROUNDS = 10;
const KINDS: readonly CommandKind[] = [
  'claim',
  'claim',
  'claim',
  'release',
  'assign',
  'update',
  'complete',
  'cancel',
];

describe('many tasks under random commands, with a worker that comes and goes', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  it('end with one result each, rows equal to workflows and no event lost or twice (UT-280, UT-151, UT-153)', async () => {
    const random = randomly(20_261_130);
    const tasks = await Promise.all(
      Array.from({ length: TASKS }, (_each, n) =>
        stack.raise({
          title: `Stress ${n}`,
          candidateGroups: [CLERKS],
          enableCancellationOutcome: true,
          enableTimeoutOutcome: n % 4 === 0,
          dueAt: n % 4 === 0 ? new Date(Date.now() + 4_000 + n * 200) : null,
        }),
      ),
    );
    await Promise.all([...tasks.map((task) => bother(task, random)), unsettle(random)]);
    await stack.startWorker();
    await settled();
    for (const task of tasks) await finish(task);
    await settled();
    for (const task of tasks) {
      const { actionKey, completedBy, status } = await expectAgreement(stack, task);
      const result = (await task.owner.result()) as { actionKey: string; completedBy: unknown };
      expect([result.actionKey, result.completedBy]).toEqual([actionKey, completedBy]);
      expect(status).toBe(
        { Timeout: 'TimedOut', Cancelled: 'Cancelled' }[result.actionKey] ?? 'Completed',
      );
    }
  }, 120_000);

  async function bother(task: RaisedTask, random: (below: number) => number): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const row = await rowOf(stack, task);
      const kind = KINDS[random(KINDS.length)] ?? 'claim';
      if ((kind === 'complete' || kind === 'cancel') && round < ROUNDS / 2) continue;
      const worker = random(2) === 0 ? clerk : colleague;
      const by = kind === 'assign' || kind === 'update' || kind === 'cancel' ? manager : worker;
      const more = { assign: { assignee: user('clerk') }, update: { priority: random(101) } };
      const ask = {
        kind,
        expectedRevision: row.revision - (random(8) === 0 ? 1 : 0),
        operationId: `${round}-${random(3)}`,
        ...more[kind as keyof typeof more],
      };
      await refusal(random(3) === 0 ? signal(stack, task, by, ask) : send(stack, task, by, ask));
    }
  }

  async function unsettle(random: (below: number) => number): Promise<void> {
    for (let n = 0; n < 2; n += 1) {
      await stack.stopWorker();
      if (random(2) === 0) stack.workerDatabase.cut();
      await stack.startWorker();
      await within(5_000, () => stack.client.workflow.count('CountersignTaskStatus = "Assigned"'));
      stack.workerDatabase.restore();
    }
  }

  /** What lost its sender is settled by the sweeper: rows then tell what their workflows hold. */
  const settled = () =>
    within(40_000, async () => {
      await agePending(stack);
      await sweep(stack.deps);
      return (await stack.database.userTaskOperation.count({ where: { status: 'Pending' } })) === 0;
    });

  /** Brings a task that is still open to its end. */
  async function finish(task: RaisedTask): Promise<void> {
    await within(30_000, async () => {
      const row = await rowOf(stack, task);
      if (row.completedAt !== null) return true;
      const ask = {
        kind: 'cancel',
        expectedRevision: row.revision,
        operationId: `end-${row.revision}`,
      } as const;
      await refusal(send(stack, task, manager, ask));
      return false;
    });
  }
});
