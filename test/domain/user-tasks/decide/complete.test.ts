import type { Json } from '../../../../domain/json';
import {
  refuseSubmission,
  type SubmissionRules,
} from '../../../../domain/user-tasks/decide/complete';
import { complete } from '../../../builders/commands';
import { clerk, colleague, manager, outsider } from '../../../builders/people';
import { pinnedForm, pinning, REVIEW_FORM } from '../../../builders/resolution';
import { aTask, outcomeOf, type TaskBuilder } from '../../../builders/task';

const LIMIT = 262_144;
const APPROVE = {
  key: 'approve',
  label: 'Approve',
  metadata: null,
  schema: { type: 'object' } as const,
};
const REJECT = { key: 'reject', label: 'Reject', metadata: null, schema: null };

function held(): TaskBuilder {
  return aTask({ actions: [APPROVE, REJECT] }).claimedBy(clerk);
}

describe('a completion', () => {
  it('closes the task in one step with two events, each with a revision of its own (UT-103, UT-114, UT-138)', () => {
    const task = held().completed({ actionKey: 'reject', operationId: 'OP1' });

    expect(task.events.slice(-2)).toMatchObject([
      {
        kind: 'CompletionRequested',
        revision: 3,
        actor: clerk.subject,
        operationId: 'OP1',
        actionKey: 'reject',
      },
      {
        kind: 'Completed',
        revision: 4,
        actor: clerk.subject,
        operationId: 'OP1',
        actionKey: 'reject',
      },
    ]);
    expect(task.task).toMatchObject({
      status: 'Completed',
      revision: 4,
      completedAt: task.task.updatedAt,
    });
    expect(task.record.operations.at(-1)).toMatchObject({
      kind: 'Complete',
      status: 'Completed',
      actionKey: 'reject',
      revision: 4,
    });
  });

  it('stays in transition while the task cannot close yet, and then ends (UT-103, UT-112, UT-136)', () => {
    const completing = held().completing({ actionKey: 'reject' });
    const ended = completing.finalised();

    expect(completing.task).toMatchObject({ status: 'Completing', revision: 3, completedAt: null });
    expect(completing.record.operations.at(-1)).toMatchObject({ status: 'Accepted', revision: 3 });
    expect(ended.task).toMatchObject({
      status: 'Completed',
      revision: 4,
      completedAt: completing.now,
    });
    expect(ended.record.operations.at(-1)).toMatchObject({
      status: 'Completed',
      revision: 4,
      updatedAt: completing.now,
    });
    expect(ended.record.operations).toHaveLength(completing.record.operations.length);
  });

  it('keeps who completed it, with what and when (UT-261, UT-262)', () => {
    const data = { purchaseOrder: 'PO-1042', amount: 1250 };
    const { task } = held().completed({ actionKey: 'approve', data });

    expect(task).toMatchObject({
      outcome: { actionKey: 'approve', data, completedBy: clerk.subject },
      holding: { assignee: clerk.subject },
    });
  });

  it('needs the complete grant (UT-206, UT-207)', () => {
    const withoutGrant = {
      ...clerk,
      grants: ['user-tasks:view', 'user-tasks:claim', 'user-tasks:supervise'],
    };

    expect(outcomeOf(held().when(complete, withoutGrant, { actionKey: 'reject' }))).toBe(
      'permission-denied',
    );
  });

  it.each([
    ['another candidate', colleague],
    ['a manager', manager],
    ['a stranger', outsider],
  ])('by %s is refused as if there were no task (UT-102, UT-115)', (_name, by) =>
    expect(outcomeOf(held().when(complete, by, { actionKey: 'reject' }))).toBe('not-found'),
  );
});

describe('the submission of a completion', () => {
  it.each(['Timeout', 'Cancelled'])('with the reserved key %s is refused (UT-080)', (actionKey) => {
    expect(outcomeOf(held().when(complete, clerk, { actionKey }))).toBe('reserved-action');
  });

  it.each(['timeout', 'CANCELLED', 'Approve', 'approve ', '', 'unknown'])(
    'with the key %j is refused: keys are compared to the letter (UT-080, UT-081)',
    (actionKey) =>
      expect(outcomeOf(held().when(complete, clerk, { actionKey }))).toBe('invalid-action'),
  );

  it.each<[Json]>([[{}], [[]], [''], [0], [false], [{ a: 1 }]])(
    'with the data %j for an action without form is refused (UT-082)',
    (data) =>
      expect(outcomeOf(held().when(complete, clerk, { actionKey: 'reject', data }))).toBe(
        'form-required',
      ),
  );

  it('without data, or with data for an action that takes it, is accepted (UT-082)', () => {
    for (const submission of [
      { actionKey: 'reject' },
      { actionKey: 'approve' },
      { actionKey: 'approve', data: { a: 1 } },
    ]) {
      expect(outcomeOf(held().when(complete, clerk, submission))).toEqual([
        'CompletionRequested',
        'Completed',
      ]);
    }
  });

  it('of exactly 256 KiB is accepted, and of one byte more refused (UT-042)', () => {
    const ofBytes = (bytes: number): Json => 'a'.repeat(bytes - 2);

    expect(
      outcomeOf(held().when(complete, clerk, { actionKey: 'approve', data: ofBytes(LIMIT) })),
    ).toEqual(['CompletionRequested', 'Completed']);
    expect(
      outcomeOf(held().when(complete, clerk, { actionKey: 'approve', data: ofBytes(LIMIT + 1) })),
    ).toBe('payload-too-large');
  });

  it('is not repeated by its refusal (UT-047)', () => {
    const decision = held().when(complete, clerk, { actionKey: 'SECRET', data: 'SECRET' });

    expect(JSON.stringify(decision)).not.toContain('SECRET');
  });
});

describe('the submission of a completion for a provider’s form', () => {
  const form = pinnedForm();
  const rules = { actions: [REJECT], formReference: REVIEW_FORM, form };
  const codeOf = (changes: Partial<SubmissionRules>, actionKey: string, data: Json): unknown =>
    refuseSubmission({ ...rules, ...changes }, actionKey, data)?.code ?? null;

  it.each<[Json]>([[null], [{}], [{ amount: 1 }], [[]], ['text']])(
    'may be %j whatever the action says: the form judges it (UT-082, UT-089)',
    (data) => expect(codeOf({}, 'reject', data)).toBeNull(),
  );

  it('is refused while the form is not pinned, with data or without (UT-090)', () => {
    expect(codeOf({ form: null }, 'reject', { a: 1 })).toBe('form-resolution-failed');
    expect(codeOf({ form: null }, 'reject', null)).toBe('form-resolution-failed');
  });

  it('needs no form where none was asked for, and then takes no data (UT-082)', () => {
    const formless = { formReference: null, form: null };

    expect(codeOf(formless, 'reject', null)).toBeNull();
    expect(codeOf(formless, 'reject', {})).toBe('form-required');
  });

  it('is refused for size, reserved and unknown keys before its form is looked at (UT-147)', () => {
    const large: Json = 'a'.repeat(LIMIT);

    expect(codeOf({ form: null }, 'Timeout', large)).toBe('payload-too-large');
    expect(codeOf({ form: null }, 'Timeout', 1)).toBe('reserved-action');
    expect(codeOf({ form: null }, 'unknown', 1)).toBe('invalid-action');
  });

  it('is accepted by the task as it was normalised (UT-089, UT-091)', () => {
    const task = aTask({ form: REVIEW_FORM, actions: [REJECT] }, { resolution: pinning(form) });
    const data = { amount: 1250 };
    const completed = task.claimedBy(clerk).completed({ actionKey: 'reject', data });

    expect(completed.task.outcome).toMatchObject({ actionKey: 'reject', data });
  });
});

describe('the order in which completions are refused', () => {
  const large: Json = 'a'.repeat(LIMIT);
  const stale = { expectedRevision: 1 };

  it.each<[string, string, object]>([
    [
      'size before a reserved key',
      'payload-too-large',
      { ...stale, actionKey: 'Timeout', data: large },
    ],
    [
      'a reserved key before data without form',
      'reserved-action',
      { ...stale, actionKey: 'Timeout', data: 1 },
    ],
    [
      'an unknown key before data without form',
      'invalid-action',
      { ...stale, actionKey: 'unknown', data: 1 },
    ],
    [
      'data without form before the revision',
      'form-required',
      { ...stale, actionKey: 'reject', data: 1 },
    ],
    ['the revision before the transition', 'revision-conflict', { ...stale, actionKey: 'reject' }],
    ['the transition last', 'transition-in-progress', { actionKey: 'reject' }],
  ])('puts %s (UT-147)', (_name, code, submission) => {
    const transitional = held().completing({ actionKey: 'reject' });

    expect(outcomeOf(transitional.when(complete, clerk, submission))).toBe(code);
  });

  it('puts the relationship before everything that is wrong with the submission (UT-147)', () => {
    expect(
      outcomeOf(held().when(complete, outsider, { actionKey: 'Timeout', data: large, ...stale })),
    ).toBe('not-found');
  });

  it('puts the end of the task before an id that others used, and before the submission (UT-147)', () => {
    const closed = held()
      .rescheduled({ priority: 1, operationId: 'taken' })
      .completed({ actionKey: 'reject' });

    expect(
      outcomeOf(
        closed.when(complete, clerk, { operationId: 'taken', actionKey: 'Timeout', data: large }),
      ),
    ).toBe('terminal');
  });

  it('puts an id that others used before the submission (UT-147)', () => {
    const task = held().rescheduled({ priority: 1, operationId: 'taken' });

    expect(
      outcomeOf(
        task.when(complete, clerk, { operationId: 'taken', actionKey: 'Timeout', data: large }),
      ),
    ).toBe('idempotency-conflict');
  });

  it('puts the relationship before an id that others used (UT-147)', () => {
    const task = held().rescheduled({ priority: 1, operationId: 'taken' });

    expect(
      outcomeOf(task.when(complete, outsider, { operationId: 'taken', actionKey: 'reject' })),
    ).toBe('not-found');
  });
});
