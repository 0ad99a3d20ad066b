import { manager } from '../builders/people';
import { startApi, type ApiUnderTest } from './start-api';

describe('the body of a request', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const path = '/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55/claim';

  it('counts as absent when it is announced as nothing, as some clients do (UT-220)', async () => {
    // `fetch` sends `Content-Length: 0` with a POST that has no body.
    const answer = await api.send('POST', path, manager);
    expect([answer.status, answer.body['code']]).toEqual([422, 'invalid-request']);
  });

  it('is refused as unreadable when it is no UTF-8, instead of being stored as something else (UT-220)', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"expectedRevision":1,"operationId":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}'),
    ]);
    const headers = { 'content-type': 'application/json' };
    const answer = await api.send('POST', path, manager, { text: bytes, headers });
    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid-request']);
  });
});
