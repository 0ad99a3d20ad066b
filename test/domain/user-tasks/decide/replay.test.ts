import { hashesOf } from '../../../../domain/user-tasks/decide/decide';
import { requestHash } from '../../../../domain/user-tasks/request-hash';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../../builders/commands';
import { clerk, colleague, manager, user } from '../../../builders/people';
import { aTask, aTaskThatIs, outcomeOf, type TaskBuilder } from '../../../builders/task';

const OP = { operationId: 'once' };

function held(): TaskBuilder {
  const action = { key: 'ok', label: 'OK', metadata: null, schema: true } as const;
  return aTask({ actions: [action], enableCancellationOutcome: true }).claimedBy(clerk);
}

describe('a repeated command', () => {
  it.each<[string, () => readonly [TaskBuilder, ReturnType<TaskBuilder['whenSent']>]]>([
    [
      'claim',
      () => repeated(aTask(), (t) => claim(clerk, { ...OP, expectedRevision: t.revision })),
    ],
    [
      'release',
      () =>
        repeated(held(), (t) =>
          release(clerk, { ...OP, expectedRevision: t.revision, reason: 'r' }),
        ),
    ],
    [
      'assign',
      () =>
        repeated(held(), (t) =>
          assign(manager, { ...OP, expectedRevision: t.revision, assignee: user('x') }),
        ),
    ],
    [
      'update',
      () =>
        repeated(held(), (t) =>
          update(manager, { ...OP, expectedRevision: t.revision, priority: 7 }),
        ),
    ],
    [
      'complete',
      () =>
        repeated(held(), (t) =>
          complete(clerk, { ...OP, expectedRevision: t.revision, actionKey: 'ok', data: [1] }),
        ),
    ],
    [
      'cancel',
      () => repeated(held(), (t) => cancel(manager, { ...OP, expectedRevision: t.revision })),
    ],
    [
      'retryResolution',
      () =>
        repeated(held(), (t) => retryResolution(manager, { ...OP, expectedRevision: t.revision })),
    ],
    [
      'update by the system',
      () =>
        repeated(held(), (t) =>
          update({ kind: 'system' }, { ...OP, expectedRevision: t.revision, priority: 7 }),
        ),
    ],
  ])(
    '%s is answered with the operation it made, and does nothing again (UT-142, UT-143)',
    (_verb, run) => {
      const [task, again] = run();

      expect(again).toEqual({ kind: 'repeated', operation: task.record.operations.at(-1) });
    },
  );

  it('is answered before the relationship is asked for, which may be gone since (UT-143)', () => {
    const released = held().releasedBy(clerk, { ...OP });

    expect(outcomeOf(released.when(release, clerk, { ...OP, expectedRevision: 2 }))).toBe(
      'repeated',
    );
    expect(
      outcomeOf(released.when(release, { ...clerk, groups: [] }, { ...OP, expectedRevision: 2 })),
    ).toBe('repeated');
  });

  it('is answered after the task has ended (UT-142)', () => {
    const claimed = aTask().claimedBy(clerk, { ...OP, expectedRevision: 1 });
    const closed = claimed.completed({ operationId: 'twice', expectedRevision: 2 });

    expect(outcomeOf(closed.when(claim, clerk, { ...OP, expectedRevision: 1 }))).toBe('repeated');
    expect(
      outcomeOf(closed.when(complete, clerk, { operationId: 'twice', expectedRevision: 2 })),
    ).toBe('repeated');
  });

  it('is answered from a transition too, and then with how that ended (UT-142)', () => {
    const completing = aTask()
      .claimedBy(clerk)
      .completing({ ...OP, expectedRevision: 2 });
    const again = { ...OP, expectedRevision: 2 };

    expect(completing.when(complete, clerk, again)).toMatchObject({
      kind: 'repeated',
      operation: { status: 'Accepted' },
    });
    expect(completing.finalised().when(complete, clerk, again)).toMatchObject({
      kind: 'repeated',
      operation: { status: 'Completed' },
    });
  });

  it('is the same whatever its deadline, its projecting side and its labels (UT-141, UT-401)', () => {
    const task = aTask().assignedTo(user('x', { displayName: 'X' }), {
      ...OP,
      expectedRevision: 1,
    });

    const again = assign(
      { ...manager, groups: [], subject: user('manager', { displayName: 'Someone' }) },
      {
        ...OP,
        expectedRevision: 1,
        assignee: user('x', { displayName: null }),
        notAfter: task.task.createdAt,
        projectedBySender: false,
      },
    );
    expect(outcomeOf(task.whenSent(again))).toBe('repeated');
  });

  it('is the same whatever the order of keys in its data (UT-141)', () => {
    const task = held().completed({
      ...OP,
      expectedRevision: 2,
      actionKey: 'ok',
      data: { a: 1, b: { c: 2, d: 3 } },
    });

    expect(
      outcomeOf(
        task.when(complete, clerk, {
          ...OP,
          expectedRevision: 2,
          actionKey: 'ok',
          data: { b: { d: 3, c: 2 }, a: 1 },
        }),
      ),
    ).toBe('repeated');
  });

  it('is recognised by what was received, before it was normalised (UT-402)', () => {
    const received = complete(clerk, {
      ...OP,
      expectedRevision: 2,
      actionKey: 'ok',
      data: { amount: '1250.00' },
    });
    const receivedHash = requestHash(received);
    const task = held().completed({ ...OP, actionKey: 'ok', data: { amount: 1250 }, receivedHash });

    expect(outcomeOf(task.whenSent(received))).toBe('repeated');
    expect(outcomeOf(task.whenSent({ ...received, data: { amount: 1250 } }))).toBe('repeated');
    expect(outcomeOf(task.whenSent({ ...received, data: { amount: 1251 } }))).toBe(
      'idempotency-conflict',
    );
  });
});

describe('a reused operation id', () => {
  it('with other content is a conflict, even when nothing else would permit the command (UT-144)', () => {
    const task = held().rescheduled({ ...OP, priority: 7, expectedRevision: 2 });

    expect(outcomeOf(task.when(update, manager, { ...OP, priority: 8, expectedRevision: 2 }))).toBe(
      'idempotency-conflict',
    );
    expect(outcomeOf(task.when(update, manager, { ...OP, priority: 7 }))).toBe(
      'idempotency-conflict',
    );
    expect(outcomeOf(task.when(update, { ...manager, grants: [] }, { ...OP, priority: 8 }))).toBe(
      'idempotency-conflict',
    );
  });

  it('of another kind is a conflict (UT-144)', () => {
    const task = aTask().claimedBy(clerk, { ...OP, expectedRevision: 1 });

    expect(outcomeOf(task.when(release, clerk, { ...OP, expectedRevision: 1 }))).toBe(
      'idempotency-conflict',
    );
    expect(outcomeOf(task.when(complete, clerk, { ...OP, expectedRevision: 1 }))).toBe(
      'idempotency-conflict',
    );
  });

  it('of another person is a conflict, although the content is the same (UT-141, UT-148)', () => {
    const task = aTask()
      .claimedBy(clerk, { ...OP, expectedRevision: 1 })
      .releasedBy(clerk);

    expect(outcomeOf(task.when(claim, colleague, { ...OP, expectedRevision: 1 }))).toBe(
      'idempotency-conflict',
    );
  });

  it('of the system is a conflict for a person, and the other way round (UT-141, UT-144)', () => {
    const system = { kind: 'system' } as const;
    const bySystem = held().after(held().when(update, system, { ...OP, priority: 7 }));
    const byPerson = held().rescheduled({ ...OP, priority: 7 });
    const again = { ...OP, priority: 7, expectedRevision: 2 };

    expect(outcomeOf(bySystem.when(update, manager, again))).toBe('idempotency-conflict');
    expect(outcomeOf(byPerson.when(update, system, again))).toBe('idempotency-conflict');
    expect(outcomeOf(bySystem.when(update, system, again))).toBe('repeated');
  });

  it('that is the task’s own for a timeout is a conflict (UT-130, UT-144)', () => {
    const task = aTaskThatIs('TimingOut');
    const operationId = task.record.operations.at(-1)!.operationId;

    expect(outcomeOf(task.when(release, clerk, { operationId }))).toBe('idempotency-conflict');
  });

  it('is free again after a refusal (UT-150)', () => {
    const task = aTask().claimedBy(clerk);
    const refused = task.when(claim, colleague, { operationId: 'again' });

    expect(outcomeOf(refused)).toBe('not-claimable');
    expect(
      outcomeOf(task.releasedBy(clerk).when(claim, colleague, { operationId: 'again' })),
    ).toEqual(['Claimed']);
  });

  it('is told apart by case and blanks', () => {
    const task = aTask().claimedBy(clerk, { operationId: 'once' });

    expect(outcomeOf(task.when(release, clerk, { operationId: 'ONCE' }))).toEqual(['Released']);
    expect(outcomeOf(task.when(release, clerk, { operationId: 'once ' }))).toEqual(['Released']);
  });
});

describe('the hashes of a command', () => {
  it('are equal unless it was normalised', () => {
    const command = complete(clerk, { receivedHash: 'AB' });

    expect(hashesOf(command)).toEqual({ requestHash: requestHash(command), receivedHash: 'AB' });
    expect(hashesOf({ ...command, receivedHash: null }).receivedHash).toBe(requestHash(command));
    expect(hashesOf(claim(clerk, OP)).receivedHash).toBe(requestHash(claim(clerk, OP)));
  });
});

function repeated(
  before: TaskBuilder,
  build: (task: TaskBuilder) => Parameters<TaskBuilder['whenSent']>[0],
): readonly [TaskBuilder, ReturnType<TaskBuilder['whenSent']>] {
  const command = build(before);
  const task = before.after(before.whenSent(command));
  return [task, task.whenSent(structuredClone(command))];
}
