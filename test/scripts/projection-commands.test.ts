import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLERKS } from '../builders/people';
import { clerk, eventsOf, rowOf, send } from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { testEnvironment } from '../harness/test-environment';
import { createMaintenanceStack, type MaintenanceStack } from '../maintenance/maintenance-stack';

const input = { title: 'Invoice 4711', candidateGroups: [CLERKS], taskData: { secret: 'canary' } };

describe('commands for operators', () => {
  let maintenance: MaintenanceStack;
  let folder: string;
  beforeAll(async () => {
    maintenance = await createMaintenanceStack();
    folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    const key = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(
      join(folder, 'keys.json'),
      JSON.stringify({ current: 'test', keys: { test: key } }),
    );
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await maintenance.close();
  });

  /** Runs a command as npm does, on this file's stack unless told. */
  async function command(name: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}) {
    const { address, namespace } = testEnvironment();
    const script = join(__dirname, '..', '..', 'scripts', `${name}.ts`);
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DATABASE_URL: maintenance.stack.databaseUrl,
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        COUNTERSIGN_TASK_QUEUE: maintenance.stack.taskQueue,
        COUNTERSIGN_KEY_FILE: join(folder, 'keys.json'),
        COUNTERSIGN_STATE: folder,
        ...more,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  async function claimed(): Promise<RaisedTask> {
    const task = await maintenance.stack.raise(input);
    await send(maintenance.stack, task, clerk, { kind: 'claim', operationId: 'claim' });
    return task;
  }

  const everything = async (tasks: readonly RaisedTask[]) =>
    Promise.all(
      tasks.map(async (task) => ({
        row: await rowOf(maintenance.stack, task),
        events: await eventsOf(maintenance.stack, task),
      })),
    );

  it('rebuilds the same rows and events of open and closed tasks, and says where they differ (UT-413, UT-414)', async () => {
    const { stack } = maintenance;
    const tasks = [await claimed(), await claimed(), await claimed()];
    const [open, closed, terminated] = tasks as [RaisedTask, RaisedTask, RaisedTask];
    const purged = await claimed();
    for (const task of [closed, purged]) {
      await send(stack, task, clerk, { kind: 'complete', expectedRevision: 2, operationId: 'end' });
      await task.owner.result();
    }
    await stack.client.workflow.getHandle(terminated.workflowId).terminate();
    await maintenance.reconcile();
    const before = await everything([open, closed]);
    const ended = await rowOf(stack, terminated);
    expect(await command('verify-projection')).toMatchObject({
      code: 0,
      output: expect.stringContaining('rows and workflows agree'),
    });

    for (const task of [...tasks, purged]) await maintenance.loseRows(task);
    await stack.database.purgedUserTask.create({
      data: { tenantId: 'acme', taskId: purged.taskId },
    });
    const lost = await command('verify-projection');
    expect(lost.code).toBe(1);
    expect(lost.output).toContain(`${open.taskId}: the workflow is open and has no row`);

    const rebuilt = await command('rebuild-projection');
    expect(rebuilt).toMatchObject({ code: 0, output: expect.stringContaining('3 created') });
    expect(rebuilt.output).toContain('1 purged');
    expect(await everything([open, closed])).toEqual(before);
    const { health: _flag, ...again } = await rowOf(stack, terminated);
    expect(again).toEqual({ ...ended, health: undefined });
    expect(await stack.database.userTask.count({ where: { id: purged.taskId } })).toBe(0);
    expect((await command('verify-projection')).code).toBe(0);

    await stack.database.userTask.updateMany({
      where: { id: open.taskId },
      data: { priority: 99, title: 'canary title' },
    });
    const changed = await command('verify-projection');
    expect(changed.code).toBe(1);
    expect(changed.output).toContain(`${open.taskId}: title differs`);
    expect(changed.output).toContain(`${open.taskId}: priority differs`);
    expect(changed.output).not.toContain('canary');
    await open.owner.cancel();
  }, 180_000);

  it('clears the doubt about a task that an operator has looked at (UT-165)', async () => {
    const { stack } = maintenance;
    const task = await claimed();
    await stack.client.workflow.getHandle(task.workflowId).terminate();
    await maintenance.reconcile();
    expect((await rowOf(stack, task)).health).toMatchObject([{ code: 'ambiguous-record' }]);
    expect(await command('rebuild-projection', [task.taskId])).toMatchObject({ code: 0 });
    expect(await rowOf(stack, task)).toMatchObject({ status: 'Cancelled', health: [] });
  }, 60_000);

  it('publishes versions of a form, and refuses in one line what is no schema (UT-086)', async () => {
    const file = join(folder, 'form.json');
    writeFileSync(
      file,
      JSON.stringify({ approve: { type: 'object', properties: { amount: { type: 'number' } } } }),
    );
    expect((await command('publish-form', ['invoice', file])).output).toBe(
      'Published version 1 of form "invoice".\n',
    );
    expect((await command('publish-form', ['invoice', file])).output).toBe(
      'Published version 2 of form "invoice".\n',
    );
    writeFileSync(file, JSON.stringify({ approve: { type: 'nonsense' } }));
    const refused = await command('publish-form', ['invoice', file]);
    expect(refused.code).toBe(1);
    expect(refused.output.trim().split('\n')).toHaveLength(1);
    expect(await maintenance.stack.database.userTaskForm.count()).toBe(2);
  }, 60_000);

  it('reads the settings of a stack that runs here, and says so where none does', async () => {
    const none = {
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      COUNTERSIGN_KEY_FILE: '',
      COUNTERSIGN_TASK_QUEUE: '',
    };
    const nothing = await command('verify-projection', [], none);
    expect(nothing).toMatchObject({ code: 1, output: expect.stringContaining('npm start') });
    const { address } = testEnvironment();
    const settings = {
      DATABASE_URL: maintenance.stack.databaseUrl,
      TEMPORAL_ADDRESS: address,
      COUNTERSIGN_TASK_QUEUE: maintenance.stack.taskQueue,
      COUNTERSIGN_KEY_FILE: join(folder, 'keys.json'),
    };
    writeFileSync(join(folder, 'stack.json'), JSON.stringify(settings));
    const found = await command('verify-projection', [], none);
    expect(found.output).toContain('rows compared');
  }, 60_000);
});
