import { create } from '../../../../domain/user-tasks/decide/create';
import { parseInputs } from '../../../../domain/user-tasks/definition';
import { clerk, CLERKS, group, OTHER_TENANT, TENANT, user } from '../../../builders/people';
import { aCreation, aTask, CREATED_AT, OWNER, TASK_ID } from '../../../builders/task';

describe('raising a task', () => {
  it('begins at revision 1 with one Created event by nobody (UT-025)', () => {
    const { createdEvent, task, events } = aTask();

    expect(events).toHaveLength(1);
    expect(createdEvent).toMatchObject({
      kind: 'Created',
      revision: 1,
      actor: null,
      operationId: null,
      occurredAt: CREATED_AT,
    });
    expect(task).toMatchObject({
      revision: 1,
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
      completedAt: null,
    });
  });

  it('has one Created event at revision 1 whatever health issues it starts with (UT-025)', () => {
    const { events, task } = aTask({
      candidateGroups: [],
      assignee: clerk.subject,
      excludedUsers: [clerk.subject],
    });

    expect(task.health).toHaveLength(2);
    expect(events.map(({ kind, revision }) => [kind, revision])).toEqual([['Created', 1]]);
  });

  it('freezes its inputs, its owner and its ids into the event (UT-014)', () => {
    const creation = aCreation({ priority: 75, dueAt: '2026-03-04T09:00:00.000Z' });
    const { createdEvent, task } = aTask({
      priority: 75,
      dueAt: '2026-03-04T09:00:00.000Z' as never,
    });

    expect(createdEvent.inputs).toEqual(
      parseInputs(creation.inputs, { tenantId: TENANT, now: CREATED_AT, resolvedDueAt: null }),
    );
    expect(createdEvent).toMatchObject({ owner: OWNER, taskId: TASK_ID, tenantId: TENANT });
    expect(task).toMatchObject({
      owner: OWNER,
      taskId: TASK_ID,
      tenantId: TENANT,
      priority: 75,
      dueAt: '2026-03-04T09:00:00.000Z',
    });
  });

  it('is Assigned, and since its creation, with a direct assignee (UT-026)', () => {
    const { task } = aTask({ assignee: clerk.subject });

    expect(task.status).toBe('Assigned');
    expect(task.holding).toEqual({ assignee: clerk.subject, assignedAt: CREATED_AT });
    expect(task.health).toEqual([]);
  });

  it.each([
    ['a candidate user', { candidateGroups: [], candidateUsers: [clerk.subject] }],
    ['a candidate group', { candidateGroups: [CLERKS] }],
    [
      'a group although every named user is excluded',
      { candidateUsers: [clerk.subject], excludedUsers: [clerk.subject] },
    ],
  ])('is Available with %s (UT-027)', (_name, inputs) => {
    expect(aTask(inputs).task).toMatchObject({ status: 'Available', holding: null, health: [] });
  });

  it('is Unassigned and says so when nobody can work on it (UT-028)', () => {
    const { task } = aTask({ candidateGroups: [] });

    expect(task.status).toBe('Unassigned');
    expect(task.health).toEqual([
      {
        code: 'no-assignment',
        severity: 'Advisory',
        message: expect.any(String),
        since: CREATED_AT,
      },
    ]);
  });

  it('is Unassigned when every candidate is excluded (UT-028, UT-101)', () => {
    const { task } = aTask({
      candidateGroups: [],
      candidateUsers: [user('a'), user('b')],
      excludedUsers: [user('b'), user('a')],
    });

    expect(task.status).toBe('Unassigned');
    expect(task.health.map((issue) => issue.code)).toEqual(['no-assignment']);
  });

  it('leaves out an assignee who is excluded, and says so (UT-029)', () => {
    const { task } = aTask({
      assignee: clerk.subject,
      excludedUsers: [user('clerk', { displayName: 'C.' })],
    });

    expect(task).toMatchObject({ status: 'Available', holding: null });
    expect(task.health).toEqual([
      {
        code: 'excluded-assignee',
        severity: 'Advisory',
        message: expect.any(String),
        since: CREATED_AT,
      },
    ]);
    expect(task.inputs.assignee).toBeNull();
  });

  it('is Unassigned when its only route was an excluded assignee (UT-029)', () => {
    const { task } = aTask({
      candidateGroups: [],
      assignee: clerk.subject,
      excludedUsers: [clerk.subject],
    });

    expect(task.status).toBe('Unassigned');
    expect(task.health.map((issue) => issue.code)).toEqual(['excluded-assignee', 'no-assignment']);
  });

  it('accepts a due date in the past (UT-125)', () => {
    expect(aTask({ dueAt: '2020-01-01T00:00:00.000Z' as never }).task).toMatchObject({
      status: 'Available',
      overdueNotified: false,
    });
  });

  it('accepts the empty tenant, which is a value (UT-382)', () => {
    const { task } = aTask({ candidateGroups: [group('g', { tenantId: '' })] }, { tenantId: '' });

    expect(task).toMatchObject({ tenantId: '', status: 'Available' });
  });
});

describe('a task is not raised', () => {
  it('without an owner, whatever else is wrong (UT-032, UT-380)', () => {
    expect(create(aCreation({}, { owner: null }))).toMatchObject({ code: 'owner-required' });
    expect(create(aCreation({ title: '' }, { owner: null }))).toMatchObject({
      code: 'owner-required',
    });
  });

  it.each([
    ['invalid-definition', { title: ' ' }],
    ['payload-too-large', { instructions: 'x'.repeat(262_145) }],
    ['cross-tenant-participant', { candidateUsers: [user('ann', { tenantId: OTHER_TENANT })] }],
  ])('but refused with %s for a wrong definition (UT-032)', (code, inputs) => {
    expect(create(aCreation(inputs))).toEqual({ code, detail: expect.any(String) });
  });
});
