import { TENANT } from '../test/builders/people';
import { createOwnerStack, type OwnerStack } from '../test/client/owner-stack';
import { within } from '../test/harness/within';
import type { TaskId } from '../domain/ids';
import type { Json } from '../domain/json';
import type { Person } from '../domain/user-tasks/actor';
import { ACCOUNTS_PAYABLE, FINANCE_MANAGERS, type Invoice } from './invoice-approval';
import { TREASURY } from './four-eyes-payment';

let owners: OwnerStack;
beforeAll(async () => {
  owners = await createOwnerStack(require.resolve('../test/client/example-owners'));
}, 120_000);
afterAll(() => owners.close());

const GRANTS = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];

function member(id: string, ...groups: readonly string[]): Person {
  const reference = { tenantId: TENANT, provider: 'default', displayName: id };
  return {
    kind: 'person',
    subject: { ...reference, type: 'user', id },
    groups: groups.map((group) => ({ ...reference, type: 'group', id: group })),
    grants: GRANTS,
  };
}

const alex = member('alex', ACCOUNTS_PAYABLE.id);
const sam = member('sam', ACCOUNTS_PAYABLE.id);
const fiona = member('fiona', FINANCE_MANAGERS.id);
const tom = member('tom', TREASURY.id);
const tina = member('tina', TREASURY.id);

type Owner = Awaited<ReturnType<OwnerStack['startExample']>>;

/** The one open task of an owner, once it has the given type. */
async function open(owner: Owner, taskType: string): Promise<TaskId> {
  const where = { ownerWorkflowId: owner.workflowId, taskType };
  const { userTask } = owners.stack.database;
  const row = await within(15_000, () =>
    userTask.findFirst({ where: { ...where, status: { in: ['Available', 'Assigned'] } } }),
  );
  return row.id as TaskId;
}

async function answer(taskId: TaskId, by: Person, actionKey: string, data: Json = null) {
  const { revision, status } = await owners.rowOf(taskId);
  if (status === 'Available') {
    await owners.send(taskId, { kind: 'claim', expectedRevision: revision, operationId: null }, by);
  }
  const held = await owners.rowOf(taskId);
  const operationId = `complete ${taskId}`;
  const command = {
    kind: 'complete',
    expectedRevision: held.revision,
    operationId,
    actionKey,
  } as const;
  await owners.send(taskId, { ...command, data }, by);
}

describe('an invoice approval', () => {
  const invoice: Invoice = {
    number: '4711',
    supplier: 'Paper & Sons',
    amount: 1250,
    currency: 'EUR',
    submittedBy: 'sam',
    timeLimitMs: 3_600_000,
  };
  const start = (more: Partial<Invoice> = {}) =>
    owners.startExample('invoiceApproval', { ...invoice, ...more });

  it('ends with the amount that was approved', async () => {
    const owner = await start();
    await answer(await open(owner, 'invoice-approval'), alex, 'approve', { amount: 1200 });
    expect(await owner.result()).toEqual({
      approved: true,
      amount: 1200,
      by: 'alex',
      escalated: false,
    });
  });

  it('asks the submitter, then somebody again, and may end in a rejection', async () => {
    const owner = await start();
    const first = await open(owner, 'invoice-approval');
    await answer(first, alex, 'ask', { question: 'Which order?' });
    const question = await open(owner, 'invoice-clarification');
    expect(await owners.rowOf(question)).toMatchObject({
      status: 'Assigned',
      assignee: { id: 'sam' },
    });
    await answer(question, sam, 'answer', { answer: 'None.' });
    const second = await open(owner, 'invoice-approval');
    expect(second).not.toBe(first);
    await answer(second, alex, 'reject', { reason: 'no order' });
    expect(await owner.result()).toMatchObject({ approved: false, reason: 'no order' });
  });

  it('is closed to the person who submitted it (UT-073)', async () => {
    const owner = await start();
    await expect(
      answer(await open(owner, 'invoice-approval'), sam, 'approve', { amount: 1 }),
    ).rejects.toThrow();
    await owner.terminate();
  });

  it('escalates to the finance managers when accounts payable lets the time pass (UT-104)', async () => {
    const owner = await start({ timeLimitMs: 300 });
    await within(15_000, async () => {
      const where = { ownerWorkflowId: owner.workflowId, status: 'TimedOut' } as const;
      return (await owners.stack.database.userTask.count({ where })) === 1;
    });
    const escalated = await open(owner, 'invoice-approval');
    expect((await owners.rowOf(escalated)).priority).toBe(90);
    await expect(answer(escalated, alex, 'approve', { amount: 1 })).rejects.toThrow();
    await answer(escalated, fiona, 'approve', { amount: 1250 });
    expect(await owner.result()).toEqual({
      approved: true,
      amount: 1250,
      by: 'fiona',
      escalated: true,
    });
  });
});

describe('a four-eyes payment', () => {
  const payment = { id: 'P-1', amount: 100, currency: 'EUR', to: 'DE00' };
  const start = () => owners.startExample('fourEyesPayment', payment);

  it('is released by two people, and never twice by the same (UT-072, UT-073)', async () => {
    const owner = await start();
    const first = await open(owner, 'payment-release');
    await answer(first, tom, 'release');
    const second = await within(10_000, async () => {
      const taskId = await open(owner, 'payment-release');
      return taskId !== first && taskId;
    });
    await expect(answer(second, tom, 'release')).rejects.toThrow();
    await answer(second, tina, 'release');
    expect(await owner.result()).toEqual({ status: 'released', by: ['tom', 'tina'] });
  });

  it('ends with the first refusal', async () => {
    const owner = await start();
    await answer(await open(owner, 'payment-release'), tina, 'refuse');
    expect(await owner.result()).toEqual({ status: 'refused', by: ['tina'] });
  });
});
