import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createUserTaskTesting, type UserTaskTesting } from '../client/testing';
import {
  createTimeSkippingEnvironment,
  type TemporalEnvironment,
} from '../test/harness/temporal-environment';
import type { fourEyesPayment } from './four-eyes-payment';

describe('a payment under four eyes', () => {
  let server: TemporalEnvironment;
  let testing: UserTaskTesting;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    server = await createTimeSkippingEnvironment();
    const { environment } = server;
    testing = await createUserTaskTesting({
      environment,
      workflowsPath: require.resolve('./four-eyes-payment'),
    });
  }, 120_000);
  afterAll(async () => {
    await testing.close();
    await server.teardown();
  });

  const start = (id: string) => {
    const payment = { id, amount: 100, currency: 'EUR', to: 'Paper & Sons' };
    return testing.start<typeof fourEyesPayment>('fourEyesPayment', { args: [payment] });
  };
  const next = (reference: string) =>
    testing.waitForTask({ taskType: 'payment-release', reference });

  it('is released by two different people', async () => {
    const owner = await start('P-1');
    await testing.answer(await next('P-1'), 'release', null, { by: 'tom' });
    const second = await next('P-1');
    expect(second.excludedUsers).toMatchObject([{ id: 'tom' }]);
    await expect(testing.answer(second, 'release', null, { by: 'tom' })).rejects.toThrow(
      'not-found',
    );
    await testing.answer(second, 'release', null, { by: 'tina' });
    expect(await owner.result()).toEqual({ status: 'released', by: ['tom', 'tina'] });
  });

  it('ends with the first who refuses', async () => {
    const owner = await start('P-2');
    await testing.answer(await next('P-2'), 'refuse', null, { by: 'tom' });
    expect(await owner.result()).toEqual({ status: 'refused', by: ['tom'] });
  });

  it('is stopped by a manager at the second step', async () => {
    const owner = await start('P-3');
    await testing.answer(await next('P-3'), 'release', null, { by: 'tom' });
    await testing.cancel(await next('P-3'), 'fraud', { by: 'mary' });
    expect(await owner.result()).toEqual({ status: 'stopped', by: ['tom', 'mary'] });
  });
});
