import type { Instant } from '../../domain/instant';
import { CLERKS } from '../builders/people';
import { clerk, eventsOf, expectAgreement, heldBy, manager, rowOf, send } from '../harness/acting';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { START_TIMEOUT_MS } from '../harness/temporal-environment';
import { within } from '../harness/within';

const DAY_MS = 86_400_000;

describe('the due date of a task', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack({ timeSkipping: true });
  }, START_TIMEOUT_MS);
  afterAll(() => stack.close());

  /** The instant so many days from the server's present, which runs ahead of the clock on the wall. */
  async function inDays(days: number): Promise<Instant> {
    return new Date((await stack.now()) + days * DAY_MS).toISOString() as Instant;
  }

  const raise = (dueAt: string | null, more: object = {}): Promise<RaisedTask> =>
    stack.raise({ title: 'Invoice', candidateGroups: [CLERKS], dueAt, ...more });

  const kinds = async (task: RaisedTask) => (await eventsOf(stack, task)).map(([kind]) => kind);
  const seen = (task: RaisedTask, kind: string, times = 1) =>
    within(
      15_000,
      async () => (await kinds(task)).filter((each) => each === kind).length === times,
    );

  it('announces an overdue task once and leaves it open (UT-105, UT-127)', async () => {
    const task = await raise(await inDays(30));
    await stack.skip(29 * DAY_MS);
    expect(await kinds(task)).toEqual(['Created']);
    await stack.skip(2 * DAY_MS);
    await seen(task, 'OverdueNotified');
    await stack.skip(60 * DAY_MS);
    expect(await kinds(task)).toEqual(['Created', 'OverdueNotified']);
    expect(await expectAgreement(stack, task)).toMatchObject({ status: 'Available', revision: 2 });
    await send(stack, task, clerk, { kind: 'claim', expectedRevision: 2 });
    await send(stack, task, clerk, { kind: 'complete', expectedRevision: 3, operationId: 'done' });
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
  });

  it('waits for the new date once the due date is moved (UT-128)', async () => {
    const task = await raise(await inDays(1));
    const dueAt = await inDays(5);
    await send(stack, task, manager, { kind: 'update', dueAt });
    await stack.skip(3 * DAY_MS);
    expect(await kinds(task)).toEqual(['Created', 'ScheduleUpdated']);
    await stack.skip(3 * DAY_MS);
    await seen(task, 'OverdueNotified');
    await expectAgreement(stack, task);
  });

  it('counts a later date as a new occurrence once it was overdue (UT-128, UT-127)', async () => {
    const task = await raise(await inDays(1));
    await stack.skip(2 * DAY_MS);
    await seen(task, 'OverdueNotified');
    const dueAt = await inDays(2);
    await send(stack, task, manager, { kind: 'update', expectedRevision: 2, dueAt });
    await stack.skip(3 * DAY_MS);
    await seen(task, 'OverdueNotified', 2);
    const before = await inDays(-10);
    await send(stack, task, manager, { kind: 'update', expectedRevision: 4, dueAt: before });
    await send(stack, task, manager, { kind: 'update', expectedRevision: 5, priority: 1 });
    await stack.skip(DAY_MS);
    expect((await kinds(task)).filter((kind) => kind === 'OverdueNotified')).toHaveLength(2);
    await expectAgreement(stack, task);
  });

  it('waits for nothing once the due date is cleared (UT-124)', async () => {
    const task = await raise(await inDays(1));
    await send(stack, task, manager, { kind: 'update', dueAt: null });
    await stack.skip(400 * DAY_MS);
    expect(await kinds(task)).toEqual(['Created', 'ScheduleUpdated']);
    expect(await rowOf(stack, task)).toMatchObject({ dueAt: null });
    await send(stack, task, manager, {
      kind: 'update',
      expectedRevision: 2,
      dueAt: await inDays(1),
    });
    await stack.skip(2 * DAY_MS);
    await seen(task, 'OverdueNotified');
  });

  it('announces at once what was due before it was raised (UT-125)', async () => {
    const task = await raise(await inDays(-7));
    await seen(task, 'OverdueNotified');
    expect(await expectAgreement(stack, task)).toMatchObject({ status: 'Available', revision: 2 });
  });

  it('waits for a due date centuries away (UT-123)', async () => {
    const task = await raise('9999-12-31T23:59:59.999Z');
    await stack.skip(DAY_MS);
    expect(await heldBy(stack, task)).toMatchObject({ revision: 1 });
    await send(stack, task, clerk, { kind: 'claim' });
  });
});
