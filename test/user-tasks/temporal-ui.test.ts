import { temporal } from '@temporalio/proto';
import { createPayloadCodec } from '../../platform/payload-codec';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { CLERKS } from '../builders/people';
import { clerk, manager, send, signal, settledOperation } from '../harness/acting';
import {
  createTaskStack,
  testKeyRing,
  type RaisedTask,
  type TaskStack,
} from '../harness/task-stack';
import { within } from '../harness/within';

const { History } = temporal.api.history.v1;

const CANARIES = {
  instructions: 'canary-instructions',
  taskData: { secret: 'canary-task-data' },
} as const;

describe('a task in the Temporal UI', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  const raise = (more: object = {}): Promise<RaisedTask> =>
    stack.raise(
      {
        title: 'Invoice 4711',
        reference: 'INV-4711',
        taskType: 'invoice',
        priority: 70,
        candidateGroups: [CLERKS],
        ...CANARIES,
        ...more,
      },
      { owner: 'oneReview' },
    );

  const attributesOf = async (task: RaisedTask): Promise<Record<string, unknown>> => {
    const { typedSearchAttributes } = await stack.client.workflow
      .getHandle(task.workflowId)
      .describe();
    return Object.fromEntries(
      typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
  };

  it('is found by tenant, status, type, assignee, priority and due date, always up to date (UT-386)', async () => {
    const task = await raise({ dueAt: '2126-01-01T00:00:00Z' });
    // The row is written within the workflow task that sets them.
    await within(10_000, async () => 'CountersignTenant' in (await attributesOf(task)));
    expect(await attributesOf(task)).toMatchObject({
      CountersignTenant: 'acme',
      CountersignTaskId: task.taskId,
      CountersignTaskStatus: 'Available',
      CountersignTaskType: 'invoice',
      CountersignPriority: 70,
      CountersignDueAt: new Date('2126-01-01T00:00:00Z'),
    });
    await send(stack, task, clerk, { kind: 'claim' });
    expect(await attributesOf(task)).toMatchObject({
      CountersignTaskStatus: 'Assigned',
      CountersignAssignee: 'clerk',
    });
    await send(stack, task, manager, {
      kind: 'update',
      expectedRevision: 2,
      priority: 5,
      dueAt: null,
    });
    const updated = await attributesOf(task);
    expect(updated).toMatchObject({ CountersignPriority: 5 });
    expect(updated).not.toHaveProperty('CountersignDueAt');
    await send(stack, task, clerk, { kind: 'release', expectedRevision: 3 });
    expect(await attributesOf(task)).not.toHaveProperty('CountersignAssignee');
    const query = `CountersignTaskId = "${task.taskId}" and CountersignTaskStatus = "Available"`;
    await within(10_000, async () => (await stack.client.workflow.count(query)).count === 1);
  });

  it('shows its title as summary and its state as details, both through the codec (UT-386)', async () => {
    const task = await raise();
    await send(stack, task, clerk, { kind: 'claim' });
    const raw = await stack.client.workflowService.describeWorkflowExecution({
      namespace: stack.client.options.namespace,
      execution: { workflowId: task.workflowId },
    });
    const summary = raw.executionConfig?.userMetadata?.summary as Payload;
    expect(Buffer.from(summary.data ?? []).toString()).not.toContain('Invoice');
    const [decoded] = await createPayloadCodec(testKeyRing()).decode([summary]);
    expect(defaultPayloadConverter.fromPayload(decoded as Payload)).toBe('Invoice 4711');
    const metadata = await stack.client.workflow
      .getHandle(task.workflowId)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('Assigned, held by clerk');
    expect(metadata.currentDetails).toContain('INV-4711');
    expect(JSON.stringify(metadata)).not.toContain('canary');
  });

  it('holds no protected value in clear text anywhere in its history or its owner’s (UT-386, UT-145)', async () => {
    const task = await raise();
    await signal(stack, task, clerk, { kind: 'claim', operationId: 'claim' });
    await settledOperation(stack, task, 'claim');
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const data = { amount: -1, note: 'canary-refused' };
    const rejected = {
      operationId: 'no',
      expectedRevision: 2,
      actor: clerk,
      actionKey: 'approve',
      data,
    };
    await handle.signal('complete', rejected);
    await settledOperation(stack, task, 'no');
    await send(stack, task, clerk, {
      kind: 'release',
      expectedRevision: 2,
      reason: 'canary-reason',
    });
    await send(stack, task, clerk, { kind: 'claim', expectedRevision: 3 });
    const complete = { operationId: 'yes', expectedRevision: 4, actionKey: 'approve' };
    await send(stack, task, clerk, {
      kind: 'complete',
      ...complete,
      data: { amount: 1, note: 'canary-data' },
    });
    expect(await task.owner.result()).toMatchObject({ data: { note: 'canary-data' } });
    for (const workflowId of [task.workflowId, task.owner.workflowId]) {
      const history = await stack.client.workflow.getHandle(workflowId).fetchHistory();
      const bytes = Buffer.from(History.encode(history).finish());
      expect(bytes.length).toBeGreaterThan(1_000);
      expect(bytes.includes('canary')).toBe(false);
    }
  });
});
