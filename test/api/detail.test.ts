import { taskDetailWire, taskSummaryWire } from '../../api/user-tasks/wire';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import {
  clerk,
  CLERKS,
  colleague,
  manager,
  MANAGER_GRANTS,
  outsider,
  person,
  user,
} from '../builders/people';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

const INPUTS: Partial<TaskInputs> = {
  summary: 'Two pages',
  reference: 'INV-4711',
  tags: ['urgent'],
  taskType: 'invoice-approval',
  requester: user('requester'),
  candidateUsers: [user('peer')],
  instructions: 'Check the canary-instructions.',
  taskData: { amount: 12.5, note: 'canary-data' },
  actions: [
    { key: 'approve', label: 'Approve', metadata: { colour: 'green' }, schema: { type: 'object' } },
    { key: 'reject', label: 'Reject', metadata: null, schema: null },
  ],
  enableCancellationOutcome: true,
};

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
      form: { actions: [{ key: 'approve', schema: { type: 'object' } }] },
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

describe('what is hidden', () => {
  const paths = ['', '/capabilities', '/events', '/operations/OP-1'];

  it('answers an absent and an invisible task with the same body and headers (UT-212)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const absent = aDistinctTask().task.taskId;
    for (const path of paths) {
      const [hidden, missing] = [
        await api.get(`/user-tasks/${id}${path}`, outsider),
        await api.get(`/user-tasks/${absent}${path}`, outsider),
      ];
      expect(hidden.status).toBe(404);
      expect(hidden.body['code']).toBe('not-found');
      const comparable = ({ body, headers }: typeof hidden): unknown => {
        const { date: _date, ...rest } = Object.fromEntries(headers);
        return [{ ...body, instance: null }, rest];
      };
      expect(comparable(hidden)).toEqual(comparable(missing));
    }
  });

  it('shows a task to nobody of another tenant, managers included (UT-206, UT-209, UT-212)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const foreign = { ...manager, subject: { ...manager.subject, tenantId: 'globex' } };
    const sameName = { ...clerk, subject: { ...clerk.subject, tenantId: 'globex' } };
    for (const reader of [foreign, sameName]) {
      for (const path of paths)
        expect((await api.get(`/user-tasks/${id}${path}`, reader)).status).toBe(404);
    }
  });

  it('matches a group only in its own provider (UT-056)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const elsewhere = person('clerk', { groups: [{ ...CLERKS, provider: 'other' }] });
    const reader = { ...elsewhere, subject: { ...elsewhere.subject, provider: 'other' } };
    expect((await api.get(`/user-tasks/${id}`, reader)).status).toBe(404);
  });

  it('hides a task from an excluded member of a candidate group (UT-073)', async () => {
    const id = await seed(
      api.database,
      aDistinctTask({ ...INPUTS, excludedUsers: [clerk.subject] }),
    );
    expect((await api.get(`/user-tasks/${id}`, clerk)).status).toBe(404);
    expect((await api.get(`/user-tasks/${id}`, colleague)).status).toBe(200);
  });

  it('opens nothing to a requester (UT-211)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    expect((await api.get(`/user-tasks/${id}`, person('requester'))).status).toBe(404);
  });

  it('hides a blocked task from everybody but managers (UT-164)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    await api.database.userTask.updateMany({ where: { id }, data: { blocked: true } });
    for (const reader of [clerk, colleague]) {
      for (const path of paths)
        expect((await api.get(`/user-tasks/${id}${path}`, reader)).status).toBe(404);
    }
    expect((await api.get(`/user-tasks/${id}`, manager)).status).toBe(200);
  });

  it('lets a manager role without the supervise grant see nothing more (UT-058)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const grants = MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise');
    expect((await api.get(`/user-tasks/${id}`, person('deputy', { grants }))).status).toBe(404);
  });
});

describe('the timeline', () => {
  it('is empty before the claim and afterwards tells what happened, never who by id, why or with what (UT-157, UT-158, UT-159, UT-160, UT-308)', async () => {
    const anonymous = { ...clerk, subject: { ...clerk.subject, displayName: null } };
    const task = aDistinctTask(INPUTS)
      .claimedBy(anonymous)
      .releasedBy(anonymous, { reason: 'canary-reason' })
      .claimedBy(anonymous);
    const id = await seed(api.database, task);
    expect((await api.get(`/user-tasks/${id}/events`, colleague)).body).toEqual({
      items: [],
      nextCursor: null,
    });
    const { body, text } = await api.get(`/user-tasks/${id}/events`, clerk);
    const items = body['items'] as { kind: string; actorDisplayName: string | null }[];
    expect(items.map(({ kind }) => kind)).toEqual(['Created', 'Claimed', 'Released', 'Claimed']);
    expect(Object.keys(items[0]!).sort()).toEqual([
      'actorDisplayName',
      'id',
      'kind',
      'occurredAt',
      'summary',
    ]);
    expect(items.every(({ actorDisplayName }) => actorDisplayName === null)).toBe(true);
    expect(text).not.toMatch(/clerk|canary/);
  });

  it('pages by cursor in the order of revisions, and ends on an unknown cursor (UT-161, UT-228)', async () => {
    const id = await seed(
      api.database,
      aDistinctTask(INPUTS)
        .claimedBy(clerk)
        .releasedBy(clerk)
        .claimedBy(clerk)
        .completed({ actionKey: 'reject' }),
    );
    const kinds: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.get(
        `/user-tasks/${id}/events?limit=2&cursor=${cursor}`.replace(/&cursor=$/, ''),
        manager,
      );
      kinds.push(...(body['items'] as { kind: string }[]).map(({ kind }) => kind));
      if (body['nextCursor'] === null) break;
      cursor = body['nextCursor'] as string;
    }
    expect(kinds).toEqual([
      'Created',
      'Claimed',
      'Released',
      'Claimed',
      'CompletionRequested',
      'Completed',
    ]);
    expect((await api.get(`/user-tasks/${id}/events?cursor=nonsense`, manager)).body).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it('keeps refused privileged operations for managers (UT-405)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    const event = {
      tenantId: 'acme',
      taskId: id,
      epoch: 1,
      revision: 2,
      ordinal: 1,
      id: `evt_${id}`,
      eventType: 'PrivilegedOperationFailed',
      occurredAt: new Date(),
    };
    await api.database.userTaskEvent.create({ data: event });
    const kindsFor = async (reader: typeof clerk): Promise<string[]> =>
      ((await api.get(`/user-tasks/${id}/events`, reader)).body['items'] as { kind: string }[]).map(
        ({ kind }) => kind,
      );
    expect(await kindsFor(manager)).toContain('PrivilegedOperationFailed');
    expect(await kindsFor(clerk)).not.toContain('PrivilegedOperationFailed');
  });
});

describe('capabilities and operations', () => {
  it('says what a caller may do in general (UT-224)', async () => {
    const worker = await api.get('/user-tasks/capabilities', clerk);
    expect(worker.body).toMatchObject({
      enabled: true,
      canList: true,
      canClaim: true,
      canRelease: true,
      canAssign: false,
      canReadAll: false,
    });
    expect((await api.get('/user-tasks/capabilities', manager)).body).toMatchObject({
      canAssign: true,
      canReadAll: true,
      canCancel: true,
    });
    expect(
      (await api.get('/user-tasks/capabilities', person('x', { grants: ['user-tasks:claim'] })))
        .status,
    ).toBe(403);
  });

  it('says what a caller may do with one task (UT-227, UT-218)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS).claimedBy(clerk));
    expect((await api.get(`/user-tasks/${id}/capabilities`, clerk)).body).toEqual({
      taskId: id,
      revision: 2,
      allowedActions: ['release', 'complete'],
      canReadProtected: true,
      canManage: false,
    });
    expect((await api.get(`/user-tasks/${id}/capabilities`, manager)).body).toMatchObject({
      allowedActions: ['release', 'assign', 'update-scheduling', 'cancel'],
      canManage: true,
    });
  });

  it('shows an operation to its actor and to managers only (UT-409)', async () => {
    const id = await seed(
      api.database,
      aDistinctTask(INPUTS).claimedBy(clerk, { operationId: 'OP/1 ü' }),
    );
    const path = `/user-tasks/${id}/operations/${encodeURIComponent('OP/1 ü')}`;
    for (const reader of [clerk, manager]) {
      expect((await api.get(path, reader)).body).toMatchObject({
        operationId: 'OP/1 ü',
        kind: 'Claim',
        status: 'completed',
        errorCode: null,
        expectedRevision: 1,
        revision: 2,
      });
    }
    expect((await api.get(path, colleague)).status).toBe(404);
    expect((await api.get(`/user-tasks/${id}/operations/other`, clerk)).status).toBe(404);
  });

  it('holds the answer until a pending operation is settled, and no longer than asked (UT-409)', async () => {
    const id = await seed(api.database, aDistinctTask(INPUTS));
    const key = { tenantId: 'acme', taskId: id, operationId: 'OP-2' };
    const now = new Date();
    const hashes = { requestHash: 'A', receivedHash: 'A' };
    await api.database.userTaskOperation.create({
      data: {
        ...key,
        ...hashes,
        kind: 'Claim',
        subjectKey: participantKeyHash(clerk.subject),
        expectedRevision: 1,
        status: 'Pending',
        createdAt: now,
        updatedAt: now,
      },
    });
    const path = `/user-tasks/${id}/operations/OP-2`;
    expect((await api.get(path, clerk)).body).toMatchObject({ status: 'pending', revision: null });
    const startedAt = performance.now();
    expect((await api.get(`${path}?wait=0.3`, clerk)).body).toMatchObject({ status: 'pending' });
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    const waiting = api.get(`${path}?wait=20`, clerk);
    await api.database.userTaskOperation.updateMany({
      where: key,
      data: { status: 'Rejected', errorCode: 'revision-conflict', revision: 1 },
    });
    expect((await waiting).body).toMatchObject({
      status: 'rejected',
      errorCode: 'revision-conflict',
    });
  });
});
