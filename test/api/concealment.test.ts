import {
  clerk,
  CLERKS,
  colleague,
  manager,
  MANAGER_GRANTS,
  outsider,
  person,
} from '../builders/people';
import { INPUTS } from './an-invoice-task';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

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
