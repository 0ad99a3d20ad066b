import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createUserTaskTesting, UserTaskRefused, type UserTaskTesting } from '../../client/testing';
import { user } from '../../client/workflow';
import {
  createTimeSkippingEnvironment,
  type TemporalEnvironment,
} from '../harness/temporal-environment';
import { approval, type asksForApproval, type asksTwice } from './testing-workflows';

describe('user tasks in the tests of their owners', () => {
  let server: TemporalEnvironment;
  let testing: UserTaskTesting;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    server = await createTimeSkippingEnvironment();
    testing = await createUserTaskTesting({
      environment: server.environment,
      workflowsPath: require.resolve('./testing-workflows'),
      members: () => [user('default', 'ann'), user('default', 'bob')],
    });
  }, 120_000);
  afterAll(async () => {
    await testing.close();
    await server.teardown();
  });

  const asked = (title: string, more: object = {}) =>
    testing.start<typeof asksForApproval>('asksForApproval', { args: [{ title, ...more }] });
  const refused = (code: string) =>
    expect.objectContaining({ name: 'UserTaskRefused', code }) as UserTaskRefused;

  it('shows what was asked and gives the answer of a person, with its data normalised (UT-261, UT-262)', async () => {
    const owner = await asked('plain');
    const task = await testing.waitForTask({ definition: approval, owner });
    expect(task).toMatchObject({
      title: 'plain',
      taskType: 'approval',
      status: 'Available',
      actions: ['approve', 'reject'],
      candidateGroups: [{ id: 'clerks' }],
      taskData: { order: 7 },
      ownerWorkflowId: owner.workflowId,
    });
    await testing.answer(task, 'approve', { amount: 12 }, { by: 'ann' });
    expect(await owner.result()).toEqual({
      action: 'approve',
      data: { amount: 12, note: 'none' },
      by: 'ann',
    });
    expect(testing.tasks().find(({ title }) => title === 'plain')).toMatchObject({
      status: 'Completed',
      assignee: { id: 'ann' },
    });
  });

  it('refuses what Countersign refuses, and changes nothing', async () => {
    const owner = await asked('picky');
    const task = await testing.waitForTask({ title: /^pick/ });
    await expect(testing.answer(task, 'approve', { amount: -1 })).rejects.toMatchObject({
      code: 'form-invalid',
      errors: [{ pointer: '/data/amount' }],
    });
    await expect(testing.answer(task, 'approve', { amount: 1 }, { by: 'eve' })).rejects.toEqual(
      refused('not-found'),
    );
    expect((await testing.waitForTask({ title: 'picky' })).status).toBe('Available');
    await testing.claim(task, { by: 'ann' });
    await expect(
      testing.answer(task, 'approve', { amount: 1 }, { by: 'bob' }),
    ).rejects.toBeInstanceOf(UserTaskRefused);
    await expect(testing.answer(task, 'postpone')).rejects.toEqual(refused('invalid-action'));
    await testing.answer(task, 'reject');
    await expect(testing.answer(task, 'reject')).rejects.toEqual(refused('terminal'));
    expect(await owner.result()).toMatchObject({ action: 'reject', by: 'ann' });
  });

  it('lets days pass in a moment (UT-104, UT-263)', async () => {
    const owner = await asked('late');
    await testing.waitForTask({ title: 'late' });
    await testing.skip('1 day');
    expect((await testing.waitForTask({ title: 'late' })).status).toBe('Available');
    await testing.skip('2 days');
    expect(await owner.result()).toEqual({ action: 'Timeout', data: null, by: null });
  });

  it('cancels as a manager does (UT-106, UT-263)', async () => {
    const owner = await asked('void');
    await testing.cancel(await testing.waitForTask({ title: 'void' }), 'not needed', { by: 'max' });
    expect(await owner.result()).toEqual({ action: 'Cancelled', data: null, by: 'max' });
  });

  it('follows a workflow from task to task, and keeps to who is excluded', async () => {
    const owner = await testing.start<typeof asksTwice>('asksTwice', {
      args: [user('default', 'ann')],
    });
    await testing.answer(await testing.waitForTask({ title: 'first' }), 'sign');
    const second = await testing.waitForTask({ title: 'second' });
    await expect(testing.answer(second, 'sign', null, { by: 'ann' })).rejects.toEqual(
      refused('not-found'),
    );
    await testing.answer(second, 'sign', null, { by: 'bob' });
    expect(await owner.result()).toEqual(['ann', 'bob']);
  });

  it('knows the members of groups for Snapshot membership (UT-066)', async () => {
    const owner = await asked('counted', { members: 'Snapshot' });
    const task = await testing.waitForTask({ title: 'counted' });
    await expect(testing.answer(task, 'reject', null, { by: 'stranger' })).rejects.toBeInstanceOf(
      UserTaskRefused,
    );
    await testing.answer(task, 'reject', null, { by: 'bob' });
    expect(await owner.result()).toMatchObject({ by: 'bob' });
  });

  it('says which tasks there are when none fits', async () => {
    await expect(testing.waitForTask({ title: 'nowhere' }, { timeoutMs: 50 })).rejects.toThrow(
      '"plain" (approval) is Completed',
    );
  });
});
