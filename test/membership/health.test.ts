import { randomUUID } from 'node:crypto';
import { taskIdOf, taskWorkflowId } from '../../domain/ids';
import type { Directory } from '../../people/directory';
import type { FormProvider } from '../../forms/form-provider';
import type { UserTaskStart } from '../../workflows/messages';
import { CLERKS, TENANT, user } from '../builders/people';
import { expectAgreement, manager, rowOf, rowThatIs, send } from '../harness/acting';
import { createTaskStack, type TaskAddress, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

const CANARY = 'canary-of-the-directory-9e1c';

const failing = (): never => {
  throw new Error(`${CANARY}: the password of the service is hunter2`);
};

describe('the health of a task', () => {
  let stack: TaskStack;
  let healthy = false;
  const directory: Directory = {
    isReal: true,
    members: () => (healthy ? Promise.resolve([user('ann')]) : failing()),
    participants: failing,
  };
  const provider: FormProvider = {
    name: 'acme-forms',
    resolve: (_tenantId, requested) =>
      healthy
        ? Promise.resolve({ requested, pinnedVersion: '1', metadata: null, fields: [] })
        : failing(),
    validateAndNormalize: failing,
  };
  beforeAll(async () => {
    stack = await createTaskStack({ directory, formProviders: [provider] });
  });
  afterAll(() => stack.close());

  async function raise(inputs: object): Promise<TaskAddress> {
    const taskId = taskIdOf(randomUUID());
    const start: UserTaskStart = {
      tenantId: TENANT,
      taskId,
      activityInstanceId: taskId,
      inputs: { title: 'Approve', candidateGroups: [CLERKS], ...inputs },
      ownerDefinition: { id: 'byHand', name: 'By hand', version: null, instanceReference: null },
      activationResolutionTimeoutMs: 1_500,
    };
    await stack.client.workflow.start('byHand', {
      workflowId: `by-hand-${taskId}`,
      taskQueue: stack.taskQueue,
      args: [{ starts: [start], taskQueue: stack.taskQueue }],
    });
    const where = { id: taskId };
    await within(15_000, async () => (await stack.database.userTask.count({ where })) > 0);
    return { taskId, workflowId: taskWorkflowId(TENANT, taskId) };
  }

  const severities = async (task: TaskAddress) =>
    (await rowOf(stack, task)).health.map(({ code, severity }) => [code, severity]).toSorted();

  it('is apart from its status, and each issue has its severity and a text of ours (UT-007, UT-163, UT-087)', async () => {
    healthy = false;
    const form = { providerName: 'acme-forms', key: 'review' };
    const held = await raise({ assignee: user('ann'), form });
    const unassigned = await raise({ membershipResolutionMode: 'Snapshot' });
    expect(await rowOf(stack, held)).toMatchObject({ status: 'Assigned', blocked: true });
    expect(await severities(held)).toEqual([['form-resolution-failed', 'Blocking']]);
    expect(await rowOf(stack, unassigned)).toMatchObject({ status: 'Unassigned', blocked: true });
    expect(await severities(unassigned)).toEqual([
      ['no-assignment', 'Advisory'],
      ['snapshot-resolution-failed', 'Blocking'],
    ]);
    for (const { message } of (await rowOf(stack, unassigned)).health) {
      expect(message).toMatch(/^[A-Z][^\n]*\.$/);
    }
    healthy = true;
    await send(stack, held, manager, { kind: 'retryResolution' });
    await within(15_000, async () => (await severities(held)).length === 0);
    expect(await rowOf(stack, held)).toMatchObject({
      status: 'Assigned',
      blocked: false,
      revision: 2,
    });
    await send(stack, unassigned, manager, { kind: 'retryResolution' });
    await rowThatIs(stack, unassigned, 'Available');
    expect(await severities(unassigned)).toEqual([]);
    await expectAgreement(stack, held);
  });

  it('tells nothing of what the directory or a provider said (UT-163, UT-047, UT-157)', async () => {
    healthy = false;
    const form = { providerName: 'acme-forms', key: 'review' };
    const task = await raise({ membershipResolutionMode: 'Snapshot', form });
    expect((await severities(task)).map(([code]) => code)).toEqual([
      'form-resolution-failed',
      'no-assignment',
      'snapshot-resolution-failed',
    ]);
    const stored = await stack.database.$queryRawUnsafe<{ text: string }[]>(
      `select to_jsonb(t)::text as text from user_tasks t where id = $1
       union all select to_jsonb(h)::text from user_task_health_issues h where task_id = $1
       union all select to_jsonb(e)::text from user_task_events e where task_id = $1
       union all select to_jsonb(n)::text from user_task_notifications n where task_id = $1`,
      task.taskId,
    );
    expect(stored.length).toBeGreaterThan(4);
    expect(stored.filter(({ text }) => text.includes(CANARY) || text.includes('hunter2'))).toEqual(
      [],
    );
  });
});
