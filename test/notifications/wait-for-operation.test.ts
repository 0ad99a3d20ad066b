import { createOperationWait } from '../../api/user-tasks/wait-for-operation';
import type { TaskId } from '../../domain/ids';
import { createLogger } from '../../platform/logger';
import { createWakeListener, type WakeListener } from '../../platform/wake-listener';
import { createTestDatabase, type TestDatabase } from '../harness/test-database';
import { within } from '../harness/within';
import { tell } from './telling-tasks';

describe('waiting for an operation', () => {
  let test: TestDatabase;
  let wakes: WakeListener;
  beforeAll(async () => {
    test = await createTestDatabase();
    wakes = createWakeListener({ databaseUrl: test.url, log: createLogger('test', 'silent') });
  });
  afterAll(async () => {
    await wakes.close();
    await test.drop();
  });

  const pending = async (): Promise<{ tenantId: string; taskId: TaskId; operationId: string }> => {
    const { id: taskId } = await tell(test.db);
    const key = { tenantId: 'acme', taskId, operationId: 'OP1' };
    const now = new Date();
    await test.db.userTaskOperation.create({
      data: {
        ...key,
        kind: 'Claim',
        requestHash: 'hash',
        receivedHash: 'hash',
        expectedRevision: 1,
        status: 'Pending',
        createdAt: now,
        updatedAt: now,
      },
    });
    return key;
  };

  it('ends when the database calls, not when it is looked at next (UT-409)', async () => {
    const key = await pending();
    let looks = 0;
    const counted = test.db.$extends({
      query: {
        userTaskOperation: { $allOperations: ({ args, query }) => ((looks += 1), query(args)) },
      },
    }) as unknown as typeof test.db;
    const calls: string[] = [];
    const heard = wakes.subscribe((wake) => calls.push(wake));
    const waiting = createOperationWait(counted, wakes)(key, 20_000, new AbortController().signal);
    await within(5_000, () => looks === 1);
    await test.db.userTaskOperation.updateMany({ where: key, data: { status: 'Rejected' } });
    await waiting;
    heard();
    expect(calls).toContain('operation');
    expect(looks).toBe(2);
  });

  it('ends by itself although no call is heard (UT-409)', async () => {
    const key = await pending();
    const deaf = { subscribe: () => () => undefined };
    const waiting = createOperationWait(test.db, deaf)(key, 20_000, new AbortController().signal);
    await test.db.userTaskOperation.updateMany({ where: key, data: { status: 'Rejected' } });
    await waiting;
  });

  it('ends with its time and with its caller (UT-409)', async () => {
    const key = await pending();
    const wait = createOperationWait(test.db, wakes);
    await wait(key, 50, new AbortController().signal);
    const gone = new AbortController();
    const waiting = wait(key, 600_000, gone.signal);
    gone.abort();
    await waiting;
  });
});
