import type { Json } from '../../domain/json';
import { CLERKS, group, person } from '../builders/people';
import {
  clerk,
  expectAgreement,
  operationOf,
  refusal,
  rowOf,
  rowThatIs,
  send,
  settledOperation,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';

const LIMIT = 262_144;
const input = { title: 'Review', candidateGroups: [CLERKS] };

/** JSON of exactly so many bytes, told in two-byte characters as far as possible. */
function dataOf(bytes: number): Json {
  const frame = JSON.stringify({ amount: 1, note: '' }).length;
  const rest = bytes - frame;
  return { amount: 1, note: 'ä'.repeat(Math.floor(rest / 2)) + 'a'.repeat(rest % 2) };
}

describe('what payloads may hold', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  async function claimed(more: object = {}): Promise<RaisedTask> {
    const task = await stack.raise({ ...input, ...more }, { owner: 'oneReview' });
    await send(stack, task, clerk, { kind: 'claim' });
    return task;
  }

  const approve = (data: Json) =>
    ({
      kind: 'complete',
      expectedRevision: 2,
      actionKey: 'approve',
      data,
      operationId: 'done',
    }) as const;
  const raw = (data: Json) => ({ ...approve(data), actor: clerk });

  it('takes completion data of exactly 256 KiB and refuses a byte more (UT-042, UT-092)', async () => {
    const [exact, above] = [dataOf(LIMIT), dataOf(LIMIT + 1)];
    expect(Buffer.byteLength(JSON.stringify(exact))).toBe(LIMIT);
    const task = await claimed();
    expect(await refusal(send(stack, task, clerk, approve(above)))).toBe('payload-too-large');
    expect(await operationOf(stack, task, 'done')).toBeNull();
    await send(stack, task, clerk, approve(exact));
    expect(await task.owner.result()).toMatchObject({ data: exact });
    expect((await rowOf(stack, task)).protected?.response).toEqual(exact);
    await expectAgreement(stack, task);
  });

  it('measures the data again once its defaults are filled in (UT-092)', async () => {
    const note = {
      more: 'x'.repeat(LIMIT - JSON.stringify({ amount: 1, more: '' }).length),
      amount: 1,
    };
    const task = await claimed();
    expect(Buffer.byteLength(JSON.stringify(note))).toBe(LIMIT);
    expect(await refusal(send(stack, task, clerk, approve(note)))).toBe('payload-too-large');
  });

  it('measures unprepared data alike (UT-042, UT-392)', async () => {
    const task = await claimed();
    const handle = stack.client.workflow.getHandle(task.workflowId);
    await handle.signal('complete', { ...raw(dataOf(LIMIT + 1)), operationId: 'above' });
    expect(await settledOperation(stack, task, 'above')).toMatchObject({
      errorCode: 'payload-too-large',
    });
    await handle.signal('complete', { ...raw(dataOf(LIMIT)), operationId: 'exact' });
    await task.owner.result();
    expect(await settledOperation(stack, task, 'exact')).toMatchObject({ status: 'Completed' });
  });

  it('raises a task with 256 KiB of instructions and of task data, and refuses a byte more (UT-031)', async () => {
    const instructions = 'é'.repeat(LIMIT / 2);
    const taskData = 'x'.repeat(LIMIT - 2);
    const task = await stack.raise({ ...input, instructions, taskData });
    const { protected: kept } = await rowOf(stack, task);
    expect(kept?.instructions === instructions && kept.taskData === taskData).toBe(true);
    for (const above of [{ instructions: `${instructions}x` }, { taskData: `${taskData}x` }]) {
      const owner = await stack.client.workflow.start('oneTask', {
        workflowId: `too-large-${Object.keys(above).join()}`,
        taskQueue: stack.taskQueue,
        args: [{ tenantId: 'acme', taskQueue: stack.taskQueue, input: { ...input, ...above } }],
      });
      const failed = owner.result();
      await expect(failed).rejects.toMatchObject({
        cause: { cause: { type: 'payload-too-large' } },
      });
    }
  });

  const unusual: readonly [string, string][] = [
    ['U+0000', 'a\u0000b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['the other half', '\udc00'],
    ['a pair', 'a😀b'],
    ['controls and line separators', '\u0001\u001f\u007f\u2028\u2029\ufeff'],
    ['quotes and backslashes', '"\\u0000\\\\'],
    ['a right-to-left override', '\u202egnp.exe'],
  ];

  it.each(unusual)(
    'carries completion data with %s unchanged to the owner and the row (UT-091, UT-262)',
    async (_what, text) => {
      const task = await claimed();
      const data = { amount: 1, note: text, more: { [text]: [text] } };
      await send(stack, task, clerk, approve(data));
      expect(await task.owner.result()).toMatchObject({ data });
      expect((await rowOf(stack, task)).protected?.response).toEqual(data);
      await expectAgreement(stack, task);
    },
  );

  it.each(unusual)(
    'keeps task data and a signalled completion with %s (UT-014, UT-399)',
    async (_what, text) => {
      const task = await claimed({ taskData: { [text]: text } });
      expect((await rowOf(stack, task)).protected?.taskData).toEqual({ [text]: text });
      const data = { amount: 1, note: text };
      await signal(stack, task, clerk, approve(data));
      expect(await task.owner.result()).toMatchObject({ data });
      await rowThatIs(stack, task, 'Completed');
      expect((await rowOf(stack, task)).protected?.response).toEqual(data);
    },
  );

  it.each([
    'group,with;delimiters',
    'a/b|c:d',
    'größe 日本語',
    '%2F',
    '["x"]',
    "o'neil",
    ' spaced ',
    'Clerks',
  ])('offers a task to the group "%s" and to no part of it (UT-055, UT-051)', async (id) => {
    const task = await stack.raise({ title: 'Review', candidateGroups: [group(id)] });
    const parts = [...id.split(/[,;/|:]/), id.toLowerCase(), id.trim()].filter(
      (part) => part !== id && part !== '',
    );
    const stranger = person('stranger', { groups: parts.map((part) => group(part)) });
    expect(await refusal(send(stack, task, stranger, { kind: 'claim' }))).toBe('not-found');
    const member = person('member', { groups: [group(id)] });
    expect(await send(stack, task, member, { kind: 'claim' })).toMatchObject({
      view: { status: 'Assigned' },
    });
  });
});
