import { Problem, PROBLEMS, problemOf, type ProblemCode } from '../../api/problem';
import { createDatabase } from '../../prisma/db';
import { clerk, outsider } from '../builders/people';
import { aDistinctTask, seed } from './seed-task';
import { startApi, type Answer, type ApiUnderTest } from './start-api';

const TASK = '/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55';

describe('the table of problems', () => {
  it('gives every code the status of the catalogue (UT-220)', () => {
    const withStatus = (status: number): readonly string[] =>
      Object.entries(PROBLEMS)
        .filter(([, problem]) => problem.status === status)
        .map(([code]) => code)
        .sort();
    expect(withStatus(401)).toEqual(['unauthenticated']);
    expect(withStatus(403)).toEqual(['permission-denied']);
    expect(withStatus(404)).toEqual(['not-found']);
    expect(withStatus(409)).toEqual([
      'command-expired',
      'duplicate-materialization',
      'idempotency-conflict',
      'not-assigned',
      'not-claimable',
      'revision-conflict',
      'terminal',
      'transition-in-progress',
    ]);
    expect(withStatus(429)).toEqual(['rate-limited']);
    expect(withStatus(500)).toEqual(['internal']);
    expect(withStatus(503)).toEqual(['unavailable']);
    expect(withStatus(504)).toEqual(['outcome-unknown']);
    expect(withStatus(422)).toEqual(
      expect.arrayContaining([
        'invalid-request',
        'form-required',
        'payload-too-large',
        'reason-required',
      ]),
    );
  });

  it('answers a refusal with its code, and absence always with the same text (UT-212)', () => {
    expect(problemOf({ code: 'terminal', detail: 'The task is closed.' })).toMatchObject({
      code: 'terminal',
      status: 409,
    });
    expect(problemOf({ code: 'not-found', detail: 'something telling' }).detail).toBe(
      problemOf({ code: 'not-found', detail: 'else' }).detail,
    );
  });
});

describe('failures behind the routes', () => {
  let failure: Error;
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await startApi({ executeCommand: () => Promise.reject(failure) });
  });
  afterAll(() => api.close());

  async function answering(error: Error): Promise<{ answer: Answer; logged: string }> {
    failure = error;
    const answer = await api.post(`${TASK}/claim`, clerk, { expectedRevision: 1 });
    return { answer, logged: api.logged() };
  }

  it('withholds what a bug says, and logs it with the id that the answer names (UT-220)', async () => {
    const { answer, logged } = await answering(new TypeError('cannot read canary of undefined'));
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(answer.text).not.toContain('canary');
    expect(logged).toContain((answer.body['instance'] as string).replace('urn:uuid:', ''));
    expect(logged).toContain('cannot read canary');
  });

  it('says where an unknown outcome will be readable, and when to come back after an outage (UT-220, UT-149)', async () => {
    const unknown = await answering(
      new Problem('outcome-unknown', 'Not known.', { location: '/user-tasks/x/operations/y' }),
    );
    expect(unknown.answer.status).toBe(504);
    expect(unknown.answer.headers.get('location')).toBe('/user-tasks/x/operations/y');
    const away = await answering(new Problem('unavailable', 'Away.'));
    expect([away.answer.status, away.answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('answers 503 while the database is out of reach, in lists and in detail (UT-400)', async () => {
    const nowhere = createDatabase('postgresql://nobody@127.0.0.1:1/none', {
      connectTimeoutMs: 500,
    });
    const other = await startApi({ database: nowhere });
    for (const path of [
      '/user-tasks',
      '/user-tasks?scope=available',
      TASK,
      `${TASK}/events`,
      `${TASK}/operations/x`,
    ]) {
      expect(await other.get(path, clerk)).toMatchObject({
        status: 503,
        body: { code: 'unavailable' },
      });
    }
    await other.close();
    await nowhere.$disconnect();
  });

  it('answers 503 when the database goes away in the middle', async () => {
    const other = await startApi();
    const id = await seed(other.database, aDistinctTask());
    expect((await other.get(`/user-tasks/${id}`, clerk)).status).toBe(200);
    const slow = other.get('/user-tasks?scope=available', clerk);
    await other.database
      .$executeRawUnsafe(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()',
      )
      .catch(() => 0);
    expect([200, 503]).toContain((await slow).status);
    await other.close();
  });

  it.each(Object.keys(PROBLEMS) as ProblemCode[])(
    'presents %s as a problem document (UT-220)',
    async (code) => {
      const { answer } = await answering(
        new Problem(code, 'Words for people.', { errors: [{ pointer: '/a', detail: 'b' }] }),
      );
      expect(answer.status).toBe(PROBLEMS[code].status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.body).toEqual({
        type: `/problems/${code}`,
        title: PROBLEMS[code].title,
        status: PROBLEMS[code].status,
        detail: 'Words for people.',
        message: 'Words for people.',
        instance: expect.stringMatching(/^urn:uuid:/) as string,
        code,
        errors: [{ pointer: '/a', detail: 'b' }],
      });
    },
  );
});

describe('the rate limit', () => {
  it('answers 429 with Retry-After, to each caller by itself (UT-220)', async () => {
    const other = await startApi({ rateLimitPerMinute: 2 });
    const statuses: number[] = [];
    for (const by of [clerk, clerk, clerk, outsider, null, null, null])
      statuses.push((await other.get('/user-tasks', by)).status);
    const refused = await other.get('/user-tasks', clerk);
    await other.close();
    expect(statuses).toEqual([200, 200, 429, 200, 401, 401, 429]);
    expect(refused.body).toMatchObject({ code: 'rate-limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});
