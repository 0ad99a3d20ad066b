import { executeCommand, type CommandDraft } from '../../api/user-tasks/execute-command';
import type { Person } from '../../domain/user-tasks/actor';
import { createTaskStack, type RaisedTask, type TaskStack } from '../harness/task-stack';
import { CLERKS, person } from '../builders/people';

describe('one user task, from its owner to its owner', () => {
  let stack: TaskStack;
  beforeAll(async () => {
    stack = await createTaskStack();
  });
  afterAll(() => stack.close());

  const clerk = person('clerk', { groups: [CLERKS] });
  const send = (task: RaisedTask, by: Person, command: CommandDraft) =>
    executeCommand(stack.deps, { person: by, taskId: task.taskId, command, respondAsync: false });

  it('gives the owner the answer of the person who claimed and completed it (UT-103, UT-261, UT-262)', async () => {
    const task = await stack.raise({ title: 'Invoice 4711', candidateGroups: [CLERKS] });
    const claimed = await send(task, clerk, {
      kind: 'claim',
      expectedRevision: 1,
      operationId: null,
    });
    expect(claimed).toMatchObject({
      kind: 'done',
      status: 'completed',
      view: { status: 'Assigned', revision: 2 },
    });
    const completed = await send(task, clerk, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'OP1',
      actionKey: 'approve',
      data: null,
    });
    expect(completed).toMatchObject({
      kind: 'done',
      status: 'accepted',
      view: { status: 'Completed', revision: 4 },
    });
    expect(await task.owner.result()).toMatchObject({
      action: 'approve',
      actionKey: 'approve',
      completedBy: { id: 'clerk' },
      taskId: task.taskId,
    });
    const events = await stack.database.userTaskEvent.findMany({
      where: { taskId: task.taskId },
      orderBy: { revision: 'asc' },
    });
    expect(events.map(({ eventType, revision }) => [eventType, revision])).toEqual([
      ['Created', 1],
      ['Claimed', 2],
      ['CompletionRequested', 3],
      ['Completed', 4],
    ]);
  });
});
