import { participantKeyHash } from '../../prisma/participant-key-hash';
import { clerk, colleague, manager, person } from '../builders/people';
import { INPUTS } from './an-invoice-task';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

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
