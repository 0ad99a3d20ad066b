import { clerk } from '../builders/people';
import { startApi } from './start-api';

describe('health and metrics', () => {
  it('is alive while what it needs is away, and ready only when all of it answers', async () => {
    let temporal: () => Promise<unknown> = () => Promise.resolve();
    const api = await startApi({
      probes: { database: () => Promise.resolve(), temporal: () => temporal() },
    });
    expect((await api.get('/readyz', null)).status).toBe(200);
    temporal = () => Promise.reject(new Error('away'));
    const away = await api.get('/readyz', null);
    expect(away).toMatchObject({
      status: 503,
      body: { code: 'unavailable', detail: 'Out of reach: temporal.' },
    });
    const startedAt = performance.now();
    temporal = () => new Promise(() => undefined);
    expect((await api.get('/readyz', null)).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect((await api.get('/livez', null)).status).toBe(200);
    await api.close();
  });

  it('measures requests by method, route and status', async () => {
    const api = await startApi();
    await api.get('/user-tasks', clerk);
    await api.get('/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55', clerk);
    await api.get('/user-tasks', null);
    const { text, headers } = await api.get('/metrics', null);
    await api.close();
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain(
      'countersign_http_request_duration_seconds_count{method="GET",route="/user-tasks",status="200"} 1',
    );
    expect(text).toContain('route="/user-tasks/{taskId}",status="404"} 1');
    expect(text).toContain('route="/user-tasks",status="401"} 1');
  });
});
