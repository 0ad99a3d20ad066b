import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { project } from '../../activities/user-tasks/project';
import { settleClosed, settleReceipt } from '../../api/user-tasks/settle';
import type { Receipt } from '../../domain/user-tasks/receipt';
import { CLERKS } from '../builders/people';
import {
  clerk,
  colleague,
  eventsOf,
  expectAgreement,
  heldBy,
  operationOf,
  refusal,
  rowOf,
  send,
  toldByRow,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;
const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE } =
  temporal.api.enums.v1.ResetReapplyExcludeType;

describe('a task that somebody ends or rewinds from outside, or whose receipts come in disorder', () => {
  let stack: TaskStack;
  let task: RaisedTask;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  beforeEach(async () => {
    task = await stack.raise({
      title: 'Invoice',
      candidateGroups: [CLERKS],
      enableCancellationOutcome: true,
    });
  });
  afterAll(() => stack.close());

  const handle = () => stack.client.workflow.getHandle(task.workflowId);

  /** Sends a command as a sender that does not project, and gives the receipt. */
  const receiptOf = (
    kind: 'claim' | 'release',
    expectedRevision: number,
    operationId: string,
  ): Promise<Receipt> =>
    handle().executeUpdate<Receipt, [unknown]>(kind, {
      args: [{ operationId, expectedRevision, actor: clerk, projectedBySender: true }],
      updateId: operationId,
    });

  /** Rewinds the task to just after it was raised, without the commands that came later. */
  async function rewind(): Promise<void> {
    const { events } = await handle().fetchHistory();
    const first = events?.find(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
    const { runId } = await handle().describe();
    await stack.client.workflowService.resetWorkflowExecution({
      namespace: stack.client.options.namespace,
      workflowExecution: { workflowId: task.workflowId, runId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: first?.eventId ?? null,
      resetReapplyExcludeTypes: [
        RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL,
        RESET_REAPPLY_EXCLUDE_TYPE_UPDATE,
      ],
    });
    await within(10_000, async () => (await heldBy(stack, task)).revision === 1);
  }

  it('ends as cancelled because it was terminated (UT-396, UT-279)', async () => {
    await send(stack, task, clerk, { kind: 'claim' });
    await handle().terminate('by hand');
    const late = send(stack, task, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'late',
    });
    expect(await refusal(late)).toBe('terminal');
    const where = { taskId: task.taskId, eventType: 'Cancelled' };
    expect(await stack.database.userTaskEvent.findMany({ where })).toMatchObject([
      { revision: 3, actor: null, metadata: { cause: 'terminated' } },
    ]);
    expect(await rowOf(stack, task)).toMatchObject({
      status: 'Cancelled',
      revision: 3,
      actionKey: 'Cancelled',
    });
    await settleClosed(stack.deps, {
      tenantId: 'acme',
      id: task.taskId,
      workflowId: task.workflowId,
    });
    expect(await eventsOf(stack, task)).toHaveLength(3);
    await expect(task.owner.result()).rejects.toMatchObject({
      cause: { name: 'ChildWorkflowFailure' },
    });
  });

  it('follows its workflow back when an operator resets it (UT-397)', async () => {
    await send(stack, task, clerk, { kind: 'claim', operationId: 'undone' });
    await rewind();
    await send(stack, task, colleague, { kind: 'claim', operationId: 'anew' });
    expect(await toldByRow(stack, task)).toEqual(await heldBy(stack, task));
    expect(await rowOf(stack, task)).toMatchObject({
      status: 'Assigned',
      revision: 2,
      epoch: 2,
      assignee: { id: 'colleague' },
    });
    expect(await operationOf(stack, task, 'undone')).toMatchObject({
      status: 'Failed',
      errorCode: 'rewound',
    });
    expect(await operationOf(stack, task, 'anew')).toMatchObject({ status: 'Completed' });
    const kinds = (await eventsOf(stack, task)).map(([kind]) => kind);
    expect(kinds.slice(0, 2)).toEqual(['Created', 'Claimed']);
    expect(kinds.filter((kind) => kind === 'Rewound')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'Claimed')).toHaveLength(2);
    await send(stack, task, colleague, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'done',
    });
    expect(await task.owner.result()).toMatchObject({ completedBy: { id: 'colleague' } });
    expect(await toldByRow(stack, task)).toEqual(await heldBy(stack, task));
  });

  it('ignores late receipts of the run that was superseded (UT-397, UT-153)', async () => {
    const late = await receiptOf('claim', 1, 'late');
    await rewind();
    await send(stack, task, colleague, { kind: 'claim', operationId: 'anew' });
    const before = [await rowOf(stack, task), await eventsOf(stack, task)];
    await settleReceipt(stack.deps, late);
    expect([await rowOf(stack, task), await eventsOf(stack, task)]).toEqual(before);
    expect(await operationOf(stack, task, 'late')).toBeNull();
  });

  it('writes receipts once, however often and in whatever order they come (UT-153, UT-290, UT-316)', async () => {
    const receipts: Receipt[] = [];
    for (let round = 0; round < 3; round += 1) {
      receipts.push(await receiptOf('claim', 2 * round + 1, `claim-${round}`));
      receipts.push(await receiptOf('release', 2 * round + 2, `release-${round}`));
    }
    const shuffled = [5, 0, 3, 3, 1, 5, 2, 4, 0].map((index) => receipts[index] as Receipt);
    const outcomes = [];
    for (const receipt of shuffled) outcomes.push(await project(stack.database, receipt));
    expect(outcomes).toEqual(['applied', ...Array<string>(8).fill('not-applied')]);
    await Promise.all(receipts.map((receipt) => project(stack.database, receipt)));
    expect(await expectAgreement(stack, task)).toMatchObject({ status: 'Available', revision: 7 });
    expect((await eventsOf(stack, task)).map(([kind]) => kind)).toEqual([
      'Created',
      ...Array<string[]>(3).fill(['Claimed', 'Released']).flat(),
    ]);
    expect(
      await stack.database.userTaskOperation.count({
        where: { taskId: task.taskId, status: 'Completed' },
      }),
    ).toBe(6);
  });
});
