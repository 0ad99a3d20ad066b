import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { COMMAND_KINDS, type CommandKind } from '../../domain/user-tasks/commands';
import { createPayloadCodec } from '../../platform/payload-codec';
import { CLERKS } from '../builders/people';
import {
  clerk,
  expectAgreement,
  heldBy,
  manager,
  operationOf,
  rowThatIs,
  settledOperation,
} from '../harness/acting';
import {
  createTaskStack,
  testKeyRing,
  type RaisedTask,
  type TaskStack,
} from '../harness/task-stack';
import { within } from '../harness/within';

const COMPLETED =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage
    .UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;
const input = { title: 'Invoice 4711', candidateGroups: [CLERKS], enableCancellationOutcome: true };

/** A command as somebody types it: no hashes, no defaults. */
const typed = (by: object, more: object) => ({ expectedRevision: 1, actor: by, ...more });

describe('signals from other programs and from the command line', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  const tell = (task: RaisedTask, kind: CommandKind | 'shout', ...args: unknown[]) =>
    stack.client.workflow.getHandle(task.workflowId).signal(kind, ...args);

  const rejected = (task: RaisedTask, count: number) =>
    within(15_000, async () => {
      const where = { taskId: task.taskId, status: 'Rejected' };
      const found = await stack.database.userTaskOperation.findMany({ where });
      return found.length >= count && found;
    });

  /** Sends payloads as they are, past the converter and the codec of this client. */
  async function tellPayloads(
    task: RaisedTask,
    kind: CommandKind,
    payloads: Payload[],
  ): Promise<void> {
    await stack.client.workflowService.signalWorkflowExecution({
      namespace: stack.client.options.namespace,
      workflowExecution: { workflowId: task.workflowId },
      signalName: kind,
      input: { payloads },
    });
  }

  async function stillWorks(task: RaisedTask): Promise<void> {
    await tell(task, 'claim', typed(clerk, { operationId: 'afterwards' }));
    await rowThatIs(stack, task, 'Assigned');
    await expectAgreement(stack, task);
  }

  it('follows plain objects through a whole life (UT-399, UT-103, UT-261)', async () => {
    const task = await stack.raise(input);
    await tell(task, 'claim', typed(clerk, { operationId: 'A' }));
    await tell(task, 'release', typed(clerk, { operationId: 'B', expectedRevision: 2 }));
    await tell(
      task,
      'update',
      typed(manager, { operationId: 'C', expectedRevision: 3, priority: 1 }),
    );
    const assignee = { tenantId: 'acme', provider: 'directory', type: 'user', id: 'clerk' };
    await tell(task, 'assign', typed(manager, { operationId: 'D', expectedRevision: 4, assignee }));
    await tell(
      task,
      'complete',
      typed(clerk, { operationId: 'E', expectedRevision: 5, actionKey: 'approve' }),
    );
    expect(await task.owner.result()).toMatchObject({
      actionKey: 'approve',
      completedBy: { id: 'clerk' },
    });
    for (const operationId of ['A', 'B', 'C', 'D', 'E']) {
      expect(await operationOf(stack, task, operationId)).toMatchObject({ status: 'Completed' });
    }
    expect(await expectAgreement(stack, task)).toMatchObject({ revision: 7, priority: 1 });
  });

  it('answers a program that sends an update without marking itself as projecting (UT-399, UT-400)', async () => {
    const task = await stack.raise(input);
    const handle = stack.client.workflow.getHandle(task.workflowId);
    const receipt = await handle.executeUpdate('claim', {
      args: [typed(clerk, { operationId: 'A' })],
    });
    expect(receipt).toMatchObject({ task: { status: 'Assigned', revision: 2 } });
    await rowThatIs(stack, task, 'Assigned');
    const complete = typed(clerk, { operationId: 'B', expectedRevision: 2, actionKey: 'approve' });
    const args: [unknown] = [complete];
    expect(await handle.executeUpdate('complete', { args })).toMatchObject({
      task: { status: 'Completing', revision: 3 },
    });
    await task.owner.result();
    expect(await expectAgreement(stack, task)).toMatchObject({ status: 'Completed', revision: 4 });
  });

  it.each(COMMAND_KINDS)(
    'keeps every unreadable %s as rejected and goes on (UT-399, UT-150)',
    async (kind) => {
      const task = await stack.raise(input);
      const values = [
        undefined,
        null,
        true,
        7,
        'claim',
        [],
        [1],
        {},
        { operationId: 5 },
        { actor: null },
      ];
      for (const value of values) await tell(task, kind, value);
      await tell(task, kind);
      const members = [
        { actor: 'clerk' },
        { actor: { kind: 'system' } },
        { actor: { ...clerk, subject: { ...clerk.subject, type: 'group' } } },
        { actor: { ...clerk, groups: 'clerks' } },
        { actor: { ...clerk, grants: [1] } },
        { expectedRevision: '1' },
        { expectedRevision: 1.5 },
        { expectedRevision: null },
        { notAfter: 'tomorrow' },
        { notAfter: 12 },
      ];
      for (const [index, member] of members.entries()) {
        await tell(task, kind, { ...typed(clerk, { operationId: `wrong-${index}` }), ...member });
      }
      const kept = await rejected(task, values.length + 1 + members.length);
      expect(kept).toHaveLength(values.length + 1 + members.length);
      expect(new Set(kept.map(({ errorCode }) => errorCode))).toEqual(new Set(['invalid-request']));
      for (const index of members.keys()) {
        expect(kept.map(({ operationId }) => operationId)).toContain(`wrong-${index}`);
      }
      expect(await heldBy(stack, task)).toMatchObject({ status: 'Available', revision: 1 });
      await stillWorks(task);
    },
  );

  it.each<[CommandKind, string, object]>([
    ['release', 'a number as reason', { reason: 7 }],
    ['release', 'too long a reason', { reason: 'x'.repeat(4_001) }],
    ['release', 'U+0000 in its reason', { reason: 'a\u0000b' }],
    ['assign', 'a text as assignee', { assignee: 'clerk' }],
    ['update', 'a text as priority', { priority: 'high' }],
    ['update', 'no instant as due date', { dueAt: 'soon' }],
    ['update', 'a day that does not exist', { dueAt: '2026-02-31T00:00:00Z' }],
    ['complete', 'a number as action', { actionKey: 4 }],
    ['complete', 'an object as hash', { actionKey: 'approve', receivedHash: {} }],
    ['cancel', 'a list as reason', { reason: ['no'] }],
    ['claim', 'an empty operation id', { operationId: '' }],
    ['claim', 'too long an operation id', { operationId: 'x'.repeat(451) }],
    ['claim', 'half a character as operation id', { operationId: '\ud800' }],
  ])('keeps a %s with %s as rejected (UT-399)', async (kind, _what, wrong) => {
    const task = await stack.raise(input);
    await tell(task, kind, typed(manager, { operationId: 'wrong', ...wrong }));
    expect(await rejected(task, 1)).toMatchObject([{ errorCode: 'invalid-request', revision: 1 }]);
    await stillWorks(task);
  });

  it('keeps an assignment to nobody as rejected, for what it is (UT-118, UT-399)', async () => {
    const task = await stack.raise(input);
    const assignee = { tenantId: 'acme', provider: 'directory', type: 'user', id: '' };
    await tell(task, 'assign', typed(manager, { operationId: 'wrong', assignee }));
    expect(await rejected(task, 1)).toMatchObject([{ errorCode: 'invalid-assignee', revision: 1 }]);
    await stillWorks(task);
  });

  it('never lets a signal pass for the system (UT-399, UT-104)', async () => {
    const task = await stack.raise({
      ...input,
      dueAt: '2126-01-01T00:00:00Z',
      enableTimeoutOutcome: true,
    });
    await tell(task, 'shout', typed({ kind: 'system' }, { operationId: 'shout' }));
    await tell(task, 'cancel', typed({ kind: 'system' }, { operationId: 'system', reason: 'now' }));
    expect(await settledOperation(stack, task, 'system')).toMatchObject({
      status: 'Rejected',
      errorCode: 'invalid-request',
    });
    expect(await operationOf(stack, task, 'shout')).toBeNull();
    await stillWorks(task);
  });

  const text = (value: string): Uint8Array => new TextEncoder().encode(value);

  it.each<[string, Payload[]]>([
    ['of an unknown encoding', [{ metadata: { encoding: text('json/secret') }, data: text('{}') }]],
    ['without metadata', [{ data: text('{}') }]],
    [
      'that is not the JSON it claims to be',
      [{ metadata: { encoding: text('json/plain') }, data: text('{"a":') }],
    ],
    [
      'of raw bytes',
      [{ metadata: { encoding: text('binary/plain') }, data: new Uint8Array([0, 255]) }],
    ],
    [
      'of a foreign protocol buffer',
      [{ metadata: { encoding: text('binary/protobuf') }, data: text('x') }],
    ],
    ['that claims to be encrypted', [broken({ data: text('short') })]],
    ['that was changed after it was encrypted', [broken({ data: new Uint8Array(64) })]],
    [
      'in two parts',
      [
        { metadata: { encoding: text('no') }, data: text('') },
        { metadata: {}, data: text('') },
      ],
    ],
  ])(
    'keeps a signal with a payload %s as rejected and goes on (UT-399)',
    async (_what, payloads) => {
      const task = await stack.raise(input);
      await tellPayloads(task, 'claim', payloads);
      expect(await rejected(task, 1)).toMatchObject([
        { kind: 'Claim', errorCode: 'invalid-request', revision: 1 },
      ]);
      await stillWorks(task);
    },
  );

  it('refuses an update with a payload that cannot be read, and goes on (UT-399)', async () => {
    const task = await stack.raise(input);
    const payloads = [broken({ data: new Uint8Array(64) })];
    const { workflowService, options } = stack.client;
    const answer = await workflowService.updateWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: task.workflowId },
      request: { meta: { updateId: 'broken' }, input: { name: 'claim', args: { payloads } } },
      waitPolicy: { lifecycleStage: COMPLETED },
    });
    expect(answer.outcome?.failure).toBeTruthy();
    await stillWorks(task);
  });

  it('reads a signal that was encrypted with a key of its ring (UT-386, UT-399)', async () => {
    const task = await stack.raise(input);
    const plain = {
      metadata: { encoding: text('json/plain') },
      data: text(JSON.stringify(typed(clerk, { operationId: 'A' }))),
    };
    await tellPayloads(task, 'claim', await createPayloadCodec(testKeyRing()).encode([plain]));
    expect(await settledOperation(stack, task, 'A')).toMatchObject({ status: 'Completed' });
  });
});

/** A payload that says it was encrypted with the test's key. */
function broken({ data }: { readonly data: Uint8Array }): Payload {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  return {
    metadata: { encoding: text('binary/encrypted'), 'encryption-key-id': text('test') },
    data,
  };
}
