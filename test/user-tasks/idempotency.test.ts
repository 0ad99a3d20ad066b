import { CLERKS, MANAGER_GRANTS, person } from '../builders/people';
import {
  clerk,
  colleague,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowOf,
  send,
  settledOperation,
  signal,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';

const input = { title: 'Invoice', candidateGroups: [CLERKS], enableCancellationOutcome: true };
const claim = { kind: 'claim', operationId: 'CLAIM' } as const;
const complete = { kind: 'complete', expectedRevision: 2, operationId: 'DONE' } as const;

describe('an operation id', () => {
  let stack: TaskStack;
  let task: RaisedTask;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  beforeEach(async () => {
    task = await stack.raise(input);
  });
  afterAll(() => stack.close());

  it('brings the same answer for the same request and does nothing twice (UT-142, UT-311)', async () => {
    const first = await send(stack, task, clerk, claim);
    expect(await send(stack, task, clerk, claim)).toEqual(first);
    await send(stack, task, clerk, complete);
    expect(await send(stack, task, clerk, complete)).toMatchObject({
      kind: 'done',
      status: 'accepted',
      operationId: 'DONE',
    });
    await task.owner.result();
    expect(await send(stack, task, clerk, complete)).toMatchObject({
      kind: 'done',
      status: 'accepted',
    });
    expect(await send(stack, task, clerk, claim)).toMatchObject({
      kind: 'done',
      view: { status: 'Completed' },
    });
    expect(await eventsOf(stack, task)).toHaveLength(4);
    await expectAgreement(stack, task);
  });

  it('is answered from the record after access has changed hands (UT-143)', async () => {
    await send(stack, task, clerk, claim);
    await send(stack, task, clerk, {
      kind: 'release',
      expectedRevision: 2,
      operationId: 'RELEASE',
    });
    await send(stack, task, colleague, { kind: 'claim', expectedRevision: 3 });
    const stranger = person('clerk');
    expect(await send(stack, task, stranger, claim)).toMatchObject({ status: 'completed' });
    const released = { kind: 'release', expectedRevision: 2, operationId: 'RELEASE' } as const;
    expect(await send(stack, task, stranger, released)).toMatchObject({
      status: 'completed',
      view: { revision: 4 },
    });
    expect(await eventsOf(stack, task)).toHaveLength(4);
  });

  it('conflicts with other content (UT-144, UT-311)', async () => {
    await send(stack, task, clerk, claim);
    const again = (more: object) => refusal(send(stack, task, clerk, { ...complete, ...more }));
    await send(stack, task, manager, {
      kind: 'update',
      expectedRevision: 2,
      operationId: 'UPDATE',
      priority: 3,
    });
    const update = { kind: 'update', expectedRevision: 2, operationId: 'UPDATE' } as const;
    expect(await refusal(send(stack, task, manager, { ...update, priority: 4 }))).toBe(
      'idempotency-conflict',
    );
    expect(await refusal(send(stack, task, manager, { ...update, priority: 3, dueAt: null }))).toBe(
      'idempotency-conflict',
    );
    await send(stack, task, clerk, { ...complete, expectedRevision: 3 });
    expect(await again({ expectedRevision: 3, actionKey: 'reject' })).toBe('idempotency-conflict');
    expect(await again({ expectedRevision: 4 })).toBe('idempotency-conflict');
    expect(await again({ expectedRevision: 3 })).toMatchObject({
      accepted: { status: 'accepted' },
    });
  });

  it('is shared by all kinds and all people (UT-144, UT-141, UT-148)', async () => {
    await send(stack, task, clerk, claim);
    const reused = { operationId: 'CLAIM', expectedRevision: 2 } as const;
    expect(await refusal(send(stack, task, clerk, { kind: 'complete', ...reused }))).toBe(
      'idempotency-conflict',
    );
    expect(await refusal(send(stack, task, colleague, { ...claim }))).toBe('idempotency-conflict');
    expect(
      await refusal(send(stack, task, manager, { kind: 'update', ...reused, priority: 1 })),
    ).toBe('idempotency-conflict');
    expect(await refusal(send(stack, task, person('stranger'), claim))).toBe('not-found');
    await expectAgreement(stack, task);
  });

  it('stays free after a refusal that was answered (UT-150)', async () => {
    expect(await refusal(send(stack, task, clerk, { ...claim, expectedRevision: 9 }))).toBe(
      'revision-conflict',
    );
    expect(await operationOf(stack, task, 'CLAIM')).toBeNull();
    expect(await send(stack, task, clerk, claim)).toMatchObject({ status: 'completed' });
    expect(await refusal(send(stack, task, clerk, { ...complete, actionKey: 'other' }))).toBe(
      'invalid-action',
    );
    expect(await send(stack, task, clerk, complete)).toMatchObject({ status: 'accepted' });
  });

  it('stays taken after a refusal that nobody was answered (UT-150)', async () => {
    await signal(stack, task, clerk, { ...claim, expectedRevision: 9 });
    await settledOperation(stack, task, 'CLAIM');
    expect(await refusal(send(stack, task, clerk, { ...claim, expectedRevision: 9 }))).toBe(
      'revision-conflict',
    );
    expect(await refusal(send(stack, task, clerk, claim))).toBe('idempotency-conflict');
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available' });
  });

  it('has one effect however often one request arrives at once (UT-142, UT-151)', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(stack, task, clerk, claim)),
    );
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['done']));
    const all = Array.from({ length: 12 }, () => send(stack, task, clerk, complete));
    expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(['done']));
    const other = send(stack, task, clerk, { ...complete, actionKey: 'reject' });
    expect(await refusal(other)).toBe('idempotency-conflict');
    expect(await eventsOf(stack, task)).toHaveLength(4);
    await expectAgreement(stack, task);
  });

  it('has one effect when update and signal carry it together (UT-142, UT-399)', async () => {
    const ways = await Promise.all([
      refusal(signal(stack, task, clerk, claim)),
      refusal(send(stack, task, clerk, claim)),
      refusal(signal(stack, task, clerk, claim)),
      refusal(send(stack, task, clerk, claim)),
    ]);
    expect(ways.every((answer) => typeof answer === 'object')).toBe(true);
    expect(await settledOperation(stack, task, 'CLAIM')).toMatchObject({
      status: 'Completed',
      revision: 2,
    });
    expect(await eventsOf(stack, task)).toHaveLength(2);
    await expectAgreement(stack, task);
  });

  it('tells two completions of one revision apart: one wins, the other conflicts (UT-151, UT-314, UT-116)', async () => {
    await send(stack, task, clerk, claim);
    const answers = await Promise.all(
      ['A', 'B'].map((operationId) =>
        refusal(send(stack, task, clerk, { ...complete, operationId })),
      ),
    );
    const [lost] = answers.filter((answer) => typeof answer === 'string');
    expect(['revision-conflict', 'terminal', 'transition-in-progress']).toContain(lost);
    expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(1);
    await expectAgreement(stack, task);
  });

  it('is minted where the caller gives none (UT-139)', async () => {
    const answer = await send(stack, task, clerk, { kind: 'claim' });
    expect(answer.operationId).toMatch(/^op_/);
    expect(await operationOf(stack, task, answer.operationId)).toMatchObject({
      kind: 'Claim',
      status: 'Completed',
    });
  });

  it('of a manager is answered after the manager lost standing (UT-143)', async () => {
    const update = { kind: 'update', operationId: 'UPDATE', priority: 9 } as const;
    const boss = person('boss', { grants: MANAGER_GRANTS });
    await send(stack, task, boss, update);
    expect(await send(stack, task, person('boss'), update)).toMatchObject({ status: 'completed' });
    expect(
      await refusal(send(stack, task, person('boss'), { ...update, operationId: 'NEW' })),
    ).toBe('permission-denied');
  });
});
