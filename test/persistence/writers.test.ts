import { executeCommand } from '../../api/user-tasks/execute-command';
import { Problem } from '../../api/problem';
import { taskIdOf, taskWorkflowId } from '../../domain/ids';
import { randomUUID } from 'node:crypto';
import { materializationKey } from '../../activities/user-tasks/project';
import { createDatabase } from '../../prisma/db';
import { CLERKS, OTHER_TENANT, TENANT } from '../builders/people';
import { OWNER } from '../builders/task';
import {
  clerk,
  colleague,
  draft,
  eventsOf,
  expectAgreement,
  manager,
  operationOf,
  refusal,
  rowOf,
  send,
  type Ask,
} from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import type { Person } from '../../domain/user-tasks/actor';

describe('writers of one task', () => {
  let stack: TaskStack;
  let other: ReturnType<typeof createDatabase>;
  beforeAll(async () => {
    stack = await createTaskStack();
    other = createDatabase(stack.databaseUrl, { poolSize: 2 });
  });
  afterAll(async () => {
    await other.$disconnect();
    await stack.close();
  });

  const raise = (): Promise<RaisedTask> =>
    stack.raise({ title: 'Approve', candidateGroups: [CLERKS] });

  /** Sends over a connection of its own, as another process would. */
  const elsewhere = ({ taskId }: RaisedTask, by: Person, ask: Ask) =>
    executeCommand(
      { ...stack.deps, database: other },
      { person: by, taskId, command: draft(ask), respondAsync: false },
    );

  it('on two connections: one wins, the revision rises by one, the other gets the conflict with what it expected (UT-315, UT-290, UT-149)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const task = await raise();
      const answers = await Promise.all([
        refusal(send(stack, task, manager, { kind: 'update', priority: 60, operationId: 'A' })),
        refusal(elsewhere(task, manager, { kind: 'update', priority: 70, operationId: 'B' })),
      ]);
      expect(answers.filter((answer) => answer === 'revision-conflict')).toHaveLength(1);
      expect(await rowOf(stack, task)).toMatchObject({ revision: 2 });
      expect(await eventsOf(stack, task)).toEqual([
        ['Created', 1],
        ['ScheduleUpdated', 2],
      ]);
      const operations = await stack.database.userTaskOperation.count({
        where: { taskId: task.taskId },
      });
      expect(operations).toBe(1);
    }
    const task = await raise();
    await send(stack, task, clerk, { kind: 'claim' });
    const stale = await elsewhere(task, manager, { kind: 'update', priority: 1 }).catch(
      (error: unknown) => error,
    );
    expect(stale).toBeInstanceOf(Problem);
    expect(stale).toMatchObject({
      code: 'revision-conflict',
      status: 409,
      detail: expect.stringMatching(/revision 2, not 1/) as unknown,
    });
  });

  it('who claims with the revision before an edit gets a conflict, not a fault (UT-313)', async () => {
    const task = await raise();
    await elsewhere(task, manager, { kind: 'update', priority: 60 });
    expect(await refusal(send(stack, task, clerk, { kind: 'claim' }))).toBe('revision-conflict');
    await send(stack, task, clerk, { kind: 'claim', expectedRevision: 2 });
    await expectAgreement(stack, task);
  });

  it('who are declined change neither row nor revision (UT-316, UT-138, UT-150)', async () => {
    const task = await raise();
    await send(stack, task, clerk, { kind: 'claim' });
    const before = await rowOf(stack, task);
    const declined: readonly (readonly [Person, Ask])[] = [
      [colleague, { kind: 'claim', expectedRevision: 2 }],
      [colleague, { kind: 'release', expectedRevision: 2 }],
      [clerk, { kind: 'complete', expectedRevision: 2, operationId: 'X', actionKey: 'none' }],
      [manager, { kind: 'cancel', expectedRevision: 2, operationId: 'Y' }],
      [manager, { kind: 'update', expectedRevision: 2, priority: 101 }],
    ];
    for (const [by, ask] of declined) {
      expect(typeof (await refusal(send(stack, task, by, ask)))).toBe('string');
    }
    expect(await rowOf(stack, task)).toEqual(before);
    expect(await eventsOf(stack, task)).toHaveLength(2);
    expect(await operationOf(stack, task, 'X')).toBeNull();
    await expectAgreement(stack, task);
  });

  it('whose database fails before they send have done nothing, and may send the same again (UT-344, UT-149)', async () => {
    const task = await raise();
    const claim = { kind: 'claim', operationId: 'CLAIM' } as const;
    stack.apiDatabase.cut();
    try {
      await expect(send(stack, task, clerk, claim)).rejects.toThrow();
    } finally {
      stack.apiDatabase.restore();
    }
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available', revision: 1 });
    expect(await operationOf(stack, task, 'CLAIM')).toBeNull();
    await expectAgreement(stack, task);
    await send(stack, task, clerk, claim);
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Assigned', revision: 2 });
  });

  it('whose database fails after acceptance lose nothing: their operation id brings the outcome, once (UT-344, UT-149, UT-400)', async () => {
    const task = await raise();
    const claim = { kind: 'claim', operationId: 'CLAIM' } as const;
    const break_ = `create trigger broken before insert on user_task_events for each row
      when (new.event_type = 'Claimed') execute function always_broken()`;
    await stack.database.$executeRawUnsafe(`
      create or replace function always_broken() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full'; end $$`);
    await stack.database.$executeRawUnsafe(break_);
    try {
      expect(await refusal(send(stack, task, clerk, claim))).toBe('outcome-unknown');
    } finally {
      await stack.database.$executeRawUnsafe('drop trigger broken on user_task_events');
    }
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Available', revision: 1 });
    expect(await operationOf(stack, task, 'CLAIM')).toMatchObject({ status: 'Pending' });
    expect(await elsewhere(task, clerk, claim)).toMatchObject({
      status: 'completed',
      view: { status: 'Assigned', revision: 2 },
    });
    expect(await eventsOf(stack, task)).toEqual([
      ['Created', 1],
      ['Claimed', 2],
    ]);
    await expectAgreement(stack, task);
  });
});

describe('the handle of a task', () => {
  it('is its workflow id, one for each tenant and task, however they are spelled (UT-021, UT-017)', () => {
    const uuid = randomUUID();
    const ids = [TENANT, OTHER_TENANT, '', `${TENANT}/x`, `${TENANT}%2Fx`, '%', '/'].map((tenant) =>
      taskWorkflowId(tenant, taskIdOf(uuid)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(taskWorkflowId(TENANT, taskIdOf(uuid))).toBe(ids[0]);
  });

  it('and its materialization key belong to one tenant (UT-021, UT-016)', () => {
    const keys = [TENANT, OTHER_TENANT, ''].map((tenant) => materializationKey(tenant, OWNER));
    const parts = [
      materializationKey(TENANT, { ...OWNER, runId: 'another' }),
      materializationKey(TENANT, { ...OWNER, workflowId: `${OWNER.workflowId}/approve` }),
      materializationKey(TENANT, { ...OWNER, activityInstanceId: 'another' }),
    ];
    expect(new Set([...keys, ...parts]).size).toBe(6);
    expect(materializationKey(TENANT, { ...OWNER, definitionName: 'renamed' })).toBe(keys[0]);
  });
});
