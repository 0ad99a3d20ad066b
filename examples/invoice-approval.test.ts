import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createUserTaskTesting, type UserTaskTesting } from '../client/testing';
import {
  createTimeSkippingEnvironment,
  type TemporalEnvironment,
} from '../test/harness/temporal-environment';
import type { Invoice, invoiceApproval } from './invoice-approval';

describe('an invoice approval', () => {
  let server: TemporalEnvironment;
  let testing: UserTaskTesting;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    server = await createTimeSkippingEnvironment();
    const { environment } = server;
    testing = await createUserTaskTesting({
      environment,
      workflowsPath: require.resolve('./invoice-approval'),
    });
  }, 120_000);
  afterAll(async () => {
    await testing.close();
    await server.teardown();
  });

  const start = (number: string) => {
    const invoice: Invoice = {
      number,
      supplier: 'Paper & Sons',
      amount: 1250,
      currency: 'EUR',
      submittedBy: 'sam',
      timeLimitMs: 2 * 24 * 3600 * 1000,
    };
    return testing.start<typeof invoiceApproval>('invoiceApproval', { args: [invoice] });
  };

  it('ends with the amount that somebody of accounts payable approved', async () => {
    const owner = await start('1');
    const task = await testing.waitForTask({ taskType: 'invoice-approval', reference: '1' });
    expect(task.candidateGroups).toMatchObject([{ id: 'accounts-payable' }]);
    await testing.answer(task, 'approve', { amount: 1200 }, { by: 'alex' });
    expect(await owner.result()).toEqual({
      approved: true,
      amount: 1200,
      by: 'alex',
      escalated: false,
    });
  });

  it('is not approved by who submitted it', async () => {
    const owner = await start('2');
    const task = await testing.waitForTask({ reference: '2' });
    await expect(testing.answer(task, 'approve', { amount: 1250 }, { by: 'sam' })).rejects.toThrow(
      'not-found',
    );
    await testing.answer(task, 'reject', { reason: 'twice' }, { by: 'alex' });
    expect(await owner.result()).toEqual({
      approved: false,
      reason: 'twice',
      by: 'alex',
      escalated: false,
    });
  });

  it('asks the submitter and hands the answer on', async () => {
    const owner = await start('3');
    const asked = await testing.waitForTask({ taskType: 'invoice-approval', reference: '3' });
    await testing.answer(asked, 'ask', { question: 'For whom?' }, { by: 'alex' });
    const question = await testing.waitForTask({
      taskType: 'invoice-clarification',
      reference: '3',
    });
    expect(question).toMatchObject({ instructions: 'For whom?', assignee: { id: 'sam' } });
    await testing.answer(question, 'answer', { answer: 'For sales' });
    const again = await testing.waitForTask({ taskType: 'invoice-approval', reference: '3' });
    expect(again.taskData).toMatchObject({
      conversation: [{ question: 'For whom?', answer: 'For sales' }],
    });
    await testing.answer(again, 'approve', { amount: 1250, costCentre: 'sales' }, { by: 'alex' });
    expect(await owner.result()).toMatchObject({ approved: true, amount: 1250 });
  });

  it('goes to the finance managers when nobody answers in time', async () => {
    const owner = await start('4');
    await testing.waitForTask({ reference: '4' });
    await testing.skip('3 days');
    const task = await testing.waitForTask({ reference: '4' });
    expect(task).toMatchObject({ priority: 90, candidateGroups: [{ id: 'finance-managers' }] });
    await testing.skip('30 days');
    await testing.answer(task, 'approve', { amount: 1250 }, { by: 'fiona' });
    expect(await owner.result()).toMatchObject({ approved: true, by: 'fiona', escalated: true });
  });
});
