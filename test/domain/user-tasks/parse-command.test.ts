import fc from 'fast-check';
import {
  COMMAND_KINDS,
  COMMAND_LIMITS,
  type CommandKind,
  type TaskCommand,
} from '../../../domain/user-tasks/commands';
import { isRejection } from '../../../domain/user-tasks/definition';
import {
  isOperationId,
  parseCommand,
  readableOperationId,
} from '../../../domain/user-tasks/parse-command';
import type { Rejection } from '../../../domain/user-tasks/rejection';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../builders/commands';
import { clerk, group, manager, user } from '../../builders/people';
import { CREATED_AT } from '../../builders/task';
import { nearlyACommand, taskCommand } from '../../arbitraries/commands';

const SENT: Record<CommandKind, TaskCommand> = {
  claim: claim(clerk),
  release: release(clerk, { reason: 'on leave' }),
  assign: assign(manager, { assignee: user('x'), notAfter: CREATED_AT }),
  update: update(manager, { priority: 7, dueAt: CREATED_AT }),
  complete: complete(clerk, { data: { a: [1, null, 'é'] }, receivedHash: 'AB' }),
  cancel: cancel(manager),
  retryResolution: retryResolution(manager),
};

function parse(kind: CommandKind, changes: object = {}): TaskCommand | Rejection {
  return parseCommand(kind, { ...SENT[kind], ...changes });
}

describe('reading a command from a message', () => {
  it.each(COMMAND_KINDS)('gives the %s that was sent (UT-399)', (kind) => {
    expect(parse(kind)).toEqual(SENT[kind]);
  });

  it('takes the kind from the message’s name, not from what it says (UT-399)', () => {
    expect(parse('claim', { kind: 'cancel' })).toMatchObject({ kind: 'claim' });
  });

  it('fills in what may be absent (UT-401)', () => {
    const bare = { operationId: 'o', expectedRevision: 1, actor: clerk };

    expect(parseCommand('claim', bare)).toEqual({
      ...bare,
      kind: 'claim',
      notAfter: null,
      projectedBySender: false,
      entitledBy: null,
    });
    expect(parseCommand('release', bare)).toMatchObject({ reason: null });
    expect(parseCommand('assign', { ...bare, assignee: user('x') })).toMatchObject({
      reason: null,
    });
    expect(parseCommand('complete', { ...bare, actionKey: 'ok' })).toMatchObject({
      data: null,
      receivedHash: null,
    });
    expect(parseCommand('cancel', bare)).toMatchObject({ reason: '' });
  });

  it('tells an absent due date from a cleared one (UT-124)', () => {
    expect(parse('update', { dueAt: undefined })).not.toHaveProperty('dueAt');
    expect(parse('update', { dueAt: null })).toHaveProperty('dueAt', null);
    expect(parse('update', { priority: undefined })).not.toHaveProperty('priority');
  });

  it('drops what the verb does not know', () => {
    expect(parse('claim', { assignee: user('x'), reason: 'r' })).toEqual(SENT.claim);
  });

  it('projects for the sender unless it says clearly that it does', () => {
    for (const value of [undefined, false, 'true', 1, null]) {
      expect(parse('claim', { projectedBySender: value })).toMatchObject({
        projectedBySender: false,
      });
    }
  });

  it('leaves an assignee without id to the verb, which has a code for it (UT-118)', () => {
    expect(parse('assign', { assignee: user('') })).toMatchObject({ assignee: { id: '' } });
    expect(parse('assign', { assignee: { ...user('x'), id: undefined } })).toMatchObject({
      code: 'invalid-request',
    });
  });

  it('takes no entitlement from a list that it does not know (UT-403)', () => {
    expect(parse('claim', { entitledBy: 'SnapshotMember' })).toMatchObject({
      entitledBy: 'SnapshotMember',
    });
    for (const value of [undefined, '', 'snapshotmember', 'WorkItem', true, ['SnapshotMember']]) {
      expect(parse('claim', { entitledBy: value })).toMatchObject({ entitledBy: null });
    }
  });

  it('keeps group names and ids with separators whole (UT-055)', () => {
    const actor = { ...clerk, groups: [group('group,with;delimiters'), group('a/b|c')] };
    const assignee = user(' ann/bee|承認 ');

    expect(parse('claim', { actor })).toMatchObject({ actor });
    expect(parse('assign', { assignee })).toMatchObject({ assignee });
  });
});

describe('a message that cannot be read', () => {
  it.each<[string, CommandKind, object, string]>([
    ['no operation id', 'claim', { operationId: undefined }, '/operationId'],
    ['a blank operation id', 'complete', { operationId: ' ' }, '/operationId'],
    [
      'an operation id of 451 characters',
      'claim',
      { operationId: 'x'.repeat(451) },
      '/operationId',
    ],
    ['an operation id with U+0000', 'claim', { operationId: 'a\u0000' }, '/operationId'],
    ['an operation id that is a number', 'claim', { operationId: 7 }, '/operationId'],
    ['no revision', 'claim', { expectedRevision: undefined }, '/expectedRevision'],
    ['a revision that is a text', 'release', { expectedRevision: '1' }, '/expectedRevision'],
    ['a revision that is no integer', 'release', { expectedRevision: 1.5 }, '/expectedRevision'],
    [
      'a revision beyond exact integers',
      'release',
      { expectedRevision: 2 ** 53 },
      '/expectedRevision',
    ],
    ['no actor', 'claim', { actor: undefined }, '/actor'],
    ['the system as actor', 'claim', { actor: { kind: 'system' } }, '/actor'],
    ['a deadline that is no timestamp', 'claim', { notAfter: 'soon' }, '/notAfter'],
    ['a reason over its limit', 'release', { reason: 'x'.repeat(4001) }, '/reason'],
    ['a reason that is no text', 'cancel', { reason: {} }, '/reason'],
    ['no assignee', 'assign', { assignee: undefined }, '/assignee'],
    ['an assignee that is a text', 'assign', { assignee: 'ann' }, '/assignee'],
    ['a priority that is a text', 'update', { priority: '7' }, '/priority'],
    ['a due date without offset', 'update', { dueAt: '2026-03-02T09:00:00' }, '/dueAt'],
    ['no action', 'complete', { actionKey: undefined }, '/actionKey'],
    ['data that is no JSON', 'complete', { data: { a: 1n } }, '/data'],
    ['a hash that is no text', 'complete', { receivedHash: 7 }, '/receivedHash'],
  ])(
    'for %s is refused and the place named (UT-137, UT-139, UT-399)',
    (_name, kind, changes, pointer) => {
      expect(parse(kind, changes)).toEqual({
        code: 'invalid-request',
        detail: expect.stringContaining(kind),
        errors: [{ pointer, detail: expect.any(String) }],
      });
    },
  );

  it.each([[null], [undefined], ['claim'], [[]], [7]])(
    'because it is %j is refused (UT-399)',
    (value) => {
      expect(parseCommand('claim', value)).toMatchObject({
        code: 'invalid-request',
        errors: [{ pointer: '/' }],
      });
    },
  );

  it('is refused without repeating what it held (UT-047)', () => {
    const refusals = [
      parse('complete', { data: { SECRET: 1n } }),
      parse('release', { reason: { SECRET: 1 } }),
      parse('claim', { actor: 'SECRET' }),
    ];

    expect(refusals.every((refusal) => isRejection(refusal))).toBe(true);
    expect(JSON.stringify(refusals)).not.toContain('SECRET');
  });
});

describe('limits', () => {
  it('accept an operation id of 450 and a reason of 4,000 characters (UT-139, UT-288)', () => {
    expect(COMMAND_LIMITS).toEqual({ operationId: 450, reason: 4000 });
    expect(parse('claim', { operationId: 'x'.repeat(450) })).toMatchObject({ kind: 'claim' });
    expect(parse('release', { reason: 'é'.repeat(4000) })).toMatchObject({ kind: 'release' });
  });

  it('leave what a priority may be to the decision (UT-122)', () => {
    expect(parse('update', { priority: 101 })).toMatchObject({ priority: 101 });
  });
});

describe('the operation id of a message that cannot be read', () => {
  it('is found if it can be recorded at all', () => {
    expect(readableOperationId({ operationId: 'once', actor: 7 })).toBe('once');
    for (const value of [
      {},
      { operationId: '' },
      { operationId: 7 },
      { operationId: 'x'.repeat(451) },
      null,
      'once',
    ]) {
      expect(readableOperationId(value)).toBeNull();
    }
  });

  it('may be any text that can be stored (UT-139)', () => {
    expect(['a', 'a/b|c', '承認', ' a '].every(isOperationId)).toBe(true);
    expect(['', ' ', '\t\n', '\u0000', '\ud83d', 7, null].some(isOperationId)).toBe(false);
  });
});

describe('whatever a message holds', () => {
  it('it is a command or a refusal, and never an exception (UT-399)', () => {
    const anything = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }),
      nearlyACommand(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...COMMAND_KINDS), anything, (kind, value) => {
        const read = parseCommand(kind, value);
        if (isRejection(read)) expect(read.code).toBe('invalid-request');
        else expect(read.kind).toBe(kind);
      }),
      { numRuns: 2000 },
    );
  });

  it('a command survives JSON and is read as it was sent (UT-399)', () => {
    fc.assert(
      fc.property(taskCommand(), (command) => {
        const received: unknown = JSON.parse(JSON.stringify(command));
        expect(parseCommand(command.kind, received)).toEqual(command);
      }),
    );
  });
});
