import { taskDetailWire, taskSummaryWire } from '../../api/user-tasks/wire';
import { clerk, CLERKS, colleague, manager } from '../builders/people';
import { INPUTS } from './an-invoice-task';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('the detail of a task', () => {
  it('gives a candidate the safe fields and nothing protected (UT-037, UT-038, UT-039, UT-040, UT-217, UT-305)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const { status, body, text } = await api.get(`/user-tasks/${id}`, clerk);
    expect(status).toBe(200);
    expect(taskDetailWire.parse(body)).toMatchObject({
      id,
      title: 'Approve invoice 4711',
      summary: 'Two pages',
      status: 'Available',
      dataAccess: 'summary',
      instructions: null,
      taskData: null,
      form: null,
      actions: [],
      outcome: null,
      response: null,
      completedBy: null,
      healthIssues: null,
      events: { items: [], nextCursor: null },
      disclosure: {
        canViewProtected: false,
        canViewWorkflow: true,
        canViewHistory: false,
        guestVisible: false,
      },
      allowedActions: ['claim'],
    });
    expect(text).not.toContain('canary');
  });

  it('names the requester, without a tenant, and counts candidates without naming them (UT-041, UT-044, UT-045, UT-306)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const { body, text } = await api.get(`/user-tasks/${id}`, clerk);
    expect(body['requester']).toEqual({
      kind: 'user',
      type: 'user',
      provider: 'directory',
      id: 'requester',
      displayName: 'requester',
    });
    expect(body['candidateSummary']).toBe('1 user, 1 group');
    expect(text).not.toContain('peer');
    expect(text).not.toContain('acme');
  });

  it('shows the assignee what is protected, and their colleagues nothing of it (UT-211, UT-305)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    const held = await api.get(`/user-tasks/${id}`, clerk);
    expect(held.body).toMatchObject({
      dataAccess: 'protected',
      instructions: 'Check the canary-instructions.',
      taskData: { amount: 12.5, note: 'canary-data' },
      actions: [
        { key: 'approve', label: 'Approve', metadata: { colour: 'green' } },
        { key: 'reject', label: 'Reject' },
      ],
      form: {
        actions: [
          { key: 'approve', label: 'Approve', schema: { type: 'object' } },
          { key: 'reject', label: 'Reject', schema: null },
        ],
      },
      allowedActions: ['release', 'complete'],
      disclosure: { canViewProtected: true, canViewHistory: true },
    });
    const seen = await api.get(`/user-tasks/${id}`, colleague);
    expect(seen.body).toMatchObject({
      dataAccess: 'summary',
      instructions: null,
      taskData: null,
      actions: [],
    });
    expect(seen.text).not.toContain('canary');
  });

  it('keeps protected content from the assignee once it is released (UT-101, UT-211)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk).releasedBy(clerk));
    const { body, text } = await api.get(`/user-tasks/${id}`, clerk);
    expect(body).toMatchObject({ status: 'Available', dataAccess: 'summary' });
    expect(text).not.toContain('canary');
  });

  it('keeps the outcome for the completer and managers once it is closed (UT-210, UT-211, UT-223)', async () => {
    const closed = aDistinctTask(INPUTS)
      .assignedTo(colleague.subject)
      .assignedTo(clerk.subject)
      .completed({ actionKey: 'approve', data: { note: 'canary-response' } });
    const id = await seed(api.database, closed);
    for (const reader of [clerk, manager]) {
      expect((await api.get(`/user-tasks/${id}`, reader)).body).toMatchObject({
        status: 'Completed',
        outcome: 'approve',
        response: { note: 'canary-response' },
        completedBy: { id: 'clerk' },
        allowedActions: [],
      });
    }
    const former = await api.get(`/user-tasks/${id}`, colleague);
    expect(former.body).toMatchObject({
      dataAccess: 'summary',
      outcome: null,
      response: null,
      completedBy: null,
    });
    expect((former.body['events'] as { items: unknown[] }).items).not.toEqual([]);
    expect(former.text).not.toContain('canary');
  });

  it('shows health to managers alone (UT-166, UT-306, UT-406)', async () => {
    const id = await seed(
      api.database,
      aDistinctTask({ ...INPUTS, candidateUsers: [], candidateGroups: [] }),
    );
    const { body } = await api.get(`/user-tasks/${id}`, manager);
    expect(body).toMatchObject({ healthSeverity: 'Advisory', healthCode: 'no-assignment' });
    expect(body['healthIssues']).toEqual([
      expect.objectContaining({ code: 'no-assignment', severity: 'Advisory' }),
    ]);
    const held = await seed(
      api.database,
      aDistinctTask({ ...INPUTS, assignee: clerk.subject, candidateGroups: [CLERKS] }),
    );
    expect((await api.get(`/user-tasks/${held}`, clerk)).body).toMatchObject({
      healthSeverity: null,
      healthCode: null,
      healthIssues: null,
    });
  });

  it('carries the workflow that raised it (UT-223, UT-307)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const { body } = await api.get(`/user-tasks/${id}`, clerk);
    expect(body['workflow']).toEqual({
      definitionId: 'invoiceApproval',
      definitionName: 'Invoice approval',
      definitionVersion: null,
      instanceId: 'invoice-4711',
      instanceReference: 'INV-4711',
    });
    expect(body).toMatchObject({
      workflowDefinitionName: 'Invoice approval',
      workflowInstanceReference: 'INV-4711',
    });
  });

  it('computes overdue, and freezes it when the task closes (UT-126)', async () => {
    const dueAt = '2026-03-02T10:00:00.000Z' as never;
    const open = await seed(api.database, aDistinctTask({ ...INPUTS, dueAt }));
    expect((await api.get(`/user-tasks/${open}`, clerk)).body['isOverdue']).toBe(true);
    const inTime = await seed(
      api.database,
      aDistinctTask({ ...INPUTS, dueAt })
        .claimedBy(clerk)
        .completed({ actionKey: 'reject' }),
    );
    expect((await api.get(`/user-tasks/${inTime}`, clerk)).body['isOverdue']).toBe(false);
  });

  it('answers summary and detail in the documented shapes, with no field more (UT-222, UT-223, UT-047)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    const detail = await api.get(`/user-tasks/${id}`, manager);
    expect(() => taskDetailWire.parse(detail.body)).not.toThrow();
    const list = await api.get('/user-tasks?scope=all', manager);
    const { items } = list.body as { items: unknown[] };
    items.forEach((item) => expect(() => taskSummaryWire.parse(item)).not.toThrow());
    expect(detail.text + list.text).not.toContain('user-task/');
  });

  it('asks the database for nothing protected when it lists (UT-049)', async () => {
    await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    await api.database.$executeRawUnsafe('alter table user_task_protected rename to hidden');
    try {
      expect((await api.get('/user-tasks?scope=all&includeTotalCount=true', manager)).status).toBe(
        200,
      );
      expect((await api.get('/user-tasks', clerk)).status).toBe(200);
    } finally {
      await api.database.$executeRawUnsafe('alter table hidden rename to user_task_protected');
    }
  });
});
