import { CLERKS } from '../builders/people';
import {
  clerk,
  eventsOf,
  expectAgreement,
  heldBy,
  rowOf,
  rowThatIs,
  send,
} from '../harness/acting';
import { createTaskStack, type TaskStack } from '../harness/task-stack';
import { within } from '../harness/within';

describe('tasks that are due at one moment', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
    await stack.database.$executeRawUnsafe(`
      create table broken_tasks (id text primary key)`);
    await stack.database.$executeRawUnsafe(`
      create function refuse_broken() returns trigger language plpgsql as $$
      begin
        if exists (select from broken_tasks where id = new.task_id) then raise exception 'broken'; end if;
        return new;
      end $$`);
    await stack.database.$executeRawUnsafe(`
      create trigger refuse_broken before insert on user_task_events for each row execute function refuse_broken()`);
  });
  afterAll(() => stack.close());

  it('end each by itself: one whose end cannot be written holds up no other, and is finished later (UT-131, UT-132, UT-104)', async () => {
    const dueAt = new Date(Date.now() + 4_000).toISOString();
    const raise = () =>
      stack.raise({ title: 'Due', candidateGroups: [CLERKS], dueAt, enableTimeoutOutcome: true });
    const [broken, held, open] = await Promise.all([raise(), raise(), raise()]);
    await send(stack, held, clerk, { kind: 'claim' });
    await stack.database.$executeRawUnsafe('insert into broken_tasks values ($1)', broken.taskId);
    for (const task of [held, open]) {
      expect(await task.owner.result()).toMatchObject({ actionKey: 'Timeout' });
      // No sweep ran: the task's own timer is all there is.
      const { completedAt } = await rowThatIs(stack, task, 'TimedOut');
      const lateMs = (completedAt?.getTime() ?? 0) - Date.parse(dueAt);
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(30_000);
      await expectAgreement(stack, task);
    }
    // Accepted, and durable: the workflow holds what the row cannot show yet.
    await within(15_000, async () => (await heldBy(stack, broken)).status === 'TimingOut');
    expect(await rowOf(stack, broken)).toMatchObject({ status: 'Available', revision: 1 });
    await stack.database.$executeRawUnsafe('delete from broken_tasks');
    expect(await broken.owner.result()).toMatchObject({ actionKey: 'Timeout' });
    expect(await eventsOf(stack, broken)).toEqual([
      ['Created', 1],
      ['TimeoutRequested', 2],
      ['TimedOut', 3],
    ]);
    await expectAgreement(stack, broken);
  });
});
