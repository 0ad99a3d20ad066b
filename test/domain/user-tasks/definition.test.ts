import type { Instant } from '../../../domain/instant';
import {
  isRejection,
  parseInputs,
  resolutionNeeds,
  type InputContext,
  type TaskInputs,
} from '../../../domain/user-tasks/definition';
import type { Rejection } from '../../../domain/user-tasks/rejection';
import { CLERKS, group, OTHER_TENANT, TENANT, user } from '../../builders/people';
import { REVIEW_FORM } from '../../builders/resolution';
import { CREATED_AT } from '../../builders/task';

const LIMIT = 262_144;
const CONTEXT: InputContext = { tenantId: TENANT, now: CREATED_AT, resolvedDueAt: null };

function inputsOf(given: object, context: Partial<InputContext> = {}): TaskInputs {
  const read = parse(given, context);
  if (isRejection(read)) throw new Error(read.detail);
  return read;
}

function refusalOf(given: unknown, context: Partial<InputContext> = {}): Rejection | null {
  const read =
    typeof given === 'object' ? parse(given as object, context) : parseInputs(given, CONTEXT);
  return isRejection(read) ? read : null;
}

function parse(given: object, context: Partial<InputContext>): TaskInputs | Rejection {
  return parseInputs({ title: 'Approve', ...given }, { ...CONTEXT, ...context });
}

describe('the inputs of a task', () => {
  it('take their defaults (UT-014, UT-079)', () => {
    expect(inputsOf({})).toEqual({
      title: 'Approve',
      summary: null,
      reference: null,
      tags: [],
      taskType: null,
      requester: null,
      assignee: null,
      candidateUsers: [],
      candidateGroups: [],
      excludedUsers: [],
      membershipResolutionMode: 'Live',
      allowManagerExclusionOverride: false,
      priority: 50,
      dueAt: null,
      instructions: null,
      taskData: null,
      form: null,
      actions: [{ key: 'Complete', label: 'Complete', metadata: null, schema: null }],
      enableTimeoutOutcome: false,
      enableCancellationOutcome: false,
    });
  });

  it('are kept as given (UT-014)', () => {
    const given = {
      title: ' Rechnung prüfen 承認 ',
      summary: 's',
      reference: 'INV-1',
      tags: ['urgent', 'EU/VAT'],
      taskType: 'invoice',
      requester: group('sales'),
      assignee: user('ann'),
      candidateUsers: [user('ben')],
      candidateGroups: [group('clerks')],
      excludedUsers: [user('eve')],
      membershipResolutionMode: 'Live' as const,
      allowManagerExclusionOverride: true,
      priority: 0,
      dueAt: '2026-03-04T09:00:00.000Z',
      instructions: 'Check the amount.',
      taskData: { amount: 1250, lines: [{ sku: 'a', n: 1 }] },
      form: null,
      actions: [
        {
          key: 'approve',
          label: 'Approve',
          metadata: { colour: 'green' },
          schema: { type: 'object' },
        },
      ],
      enableTimeoutOutcome: true,
      enableCancellationOutcome: true,
    };

    expect(inputsOf(given)).toEqual(given);
  });

  it('read a due date in any offset as the instant it names (UT-123)', () => {
    expect(inputsOf({ dueAt: '2026-03-04T10:00:00+01:00' }).dueAt).toBe('2026-03-04T09:00:00.000Z');
  });

  it('count a due date given as a duration from the creation (UT-014, UT-123)', () => {
    expect(inputsOf({ dueAt: 'P2D' }).dueAt).toBe('2026-03-04T09:00:00.000Z');
    expect(inputsOf({ dueAt: 'PT4H30M' }).dueAt).toBe('2026-03-02T13:30:00.000Z');
  });

  it('take a due date given as a local date from who knows its zone (UT-123, UT-385)', () => {
    const dueAt = { localDate: '2026-12-24', timeZone: 'Europe/Berlin' };
    const resolvedDueAt = '2026-12-24T23:00:00.000Z' as Instant;

    expect(inputsOf({ dueAt }).dueAt).toBeNull();
    expect(inputsOf({ dueAt }, { resolvedDueAt }).dueAt).toBe(resolvedDueAt);
    expect(refusalOf({ dueAt }, { resolvedDueAt: 'invalid' })).toMatchObject({
      code: 'invalid-definition',
    });
  });

  it('keep a reference to a form, with its binding and version or without (UT-014)', () => {
    const bare = { providerName: 'acme-forms', key: 'invoice-review' };

    expect(inputsOf({ form: bare }).form).toEqual({ ...bare, binding: null, version: null });
    expect(inputsOf({ form: { ...bare, binding: 'version:3' } }).form).toMatchObject({
      binding: 'version:3',
    });
    expect(inputsOf({ form: { ...bare, version: '3' } }).form).toMatchObject({ version: '3' });
  });

  it('may ask for a snapshot of the members (UT-014)', () => {
    expect(inputsOf({ membershipResolutionMode: 'Snapshot' }).membershipResolutionMode).toBe(
      'Snapshot',
    );
  });

  it('take tags as a set whatever their case, the first spelling kept (UT-014)', () => {
    expect(inputsOf({ tags: ['Urgent', 'URGENT', 'vat', 'urgent'] }).tags).toEqual([
      'Urgent',
      'vat',
    ]);
  });

  it('hold each participant once, by identity (UT-033)', () => {
    const named = [
      user('ann', { displayName: 'Ann' }),
      user('ann', { displayName: 'A.' }),
      user('ANN'),
    ];
    const read = inputsOf({
      candidateUsers: named,
      excludedUsers: named,
      candidateGroups: [group('g'), group('g')],
    });

    expect(read.candidateUsers).toHaveLength(2);
    expect(read.candidateUsers).toEqual(expect.arrayContaining([named[0], named[2]]));
    expect(read.excludedUsers).toHaveLength(2);
    expect(read.candidateGroups).toEqual([group('g')]);
  });

  it('keep group names with separators whole (UT-055)', () => {
    const groups = [group('group,with;delimiters'), group('a/b|c'), group(' x ')];

    expect(inputsOf({ candidateGroups: groups }).candidateGroups).toEqual(groups);
  });

  it('know nothing of directories: an unknown participant is accepted (UT-034)', () => {
    expect(inputsOf({ candidateUsers: [user('nobody-knows-me')] }).candidateUsers).toHaveLength(1);
  });
});

describe('a definition is refused', () => {
  it.each<[string, unknown]>([
    ['that is nothing', null],
    ['that is a list', []],
    ['that is a text', 'title'],
  ])('%s (UT-030)', (_name, given) => {
    expect(parseInputs(given, CONTEXT)).toMatchObject({ code: 'invalid-definition' });
  });

  it.each<[string, object]>([
    ['without a title', { title: undefined }],
    ['with a blank title', { title: ' \t ' }],
    ['with an action without key', { actions: [{ key: '', label: 'x' }] }],
    ['with an action with a blank key', { actions: [{ key: '  ', label: 'x' }] }],
    ['with an action without label', { actions: [{ key: 'approve' }] }],
    ['with an action with a blank label', { actions: [{ key: 'approve', label: ' ' }] }],
    ['with two actions of one key', { actions: [action('approve'), action('approve')] }],
    [
      'with two actions of one key in two cases',
      { actions: [action('approve'), action('Approve')] },
    ],
    ['with a priority below 0', { priority: -1 }],
    ['with a priority above 100', { priority: 101 }],
    ['with a priority that is no integer', { priority: 50.5 }],
    ['with a priority that is a text', { priority: '50' }],
  ])('%s (UT-030)', (_name, given) => {
    expect(refusalOf(given)).toMatchObject({ code: 'invalid-definition' });
  });

  it.each(['Timeout', 'Cancelled', 'timeout', 'CANCELLED'])(
    'with the reserved action key %s (UT-030, UT-080)',
    (key) =>
      expect(refusalOf({ actions: [action(key)] })).toMatchObject({ code: 'invalid-definition' }),
  );

  it.each<[string, object]>([
    ['an assignee that is a group', { assignee: group('clerks') }],
    ['a group among candidate users', { candidateUsers: [user('ann'), group('clerks')] }],
    ['a user among candidate groups', { candidateGroups: [user('ann')] }],
    ['a group among excluded users', { excludedUsers: [group('clerks')] }],
    ['an unknown membership mode', { membershipResolutionMode: 'Sometimes' }],
    ['a title over its limit', { title: 'x'.repeat(501) }],
    ['a summary over its limit', { summary: 'x'.repeat(4001) }],
    ['a reference over its limit', { reference: 'x'.repeat(501) }],
    ['a task type over its limit', { taskType: 'x'.repeat(201) }],
    ['an action key over its limit', { actions: [action('x'.repeat(201))] }],
    ['a tag over its limit', { tags: ['x'.repeat(201)] }],
    ['a participant id over its limit', { candidateUsers: [user('x'.repeat(451))] }],
  ])('with %s (UT-384)', (_name, given) => {
    expect(refusalOf(given)).toMatchObject({ code: 'invalid-definition' });
  });

  it.each<[string, object]>([
    ['a title that is a number', { title: 7 }],
    ['a summary that is an object', { summary: {} }],
    ['tags that are a text', { tags: 'urgent' }],
    ['a tag that is a number', { tags: [7] }],
    ['a blank tag', { tags: ['urgent', ' '] }],
    ['more tags than a task holds', { tags: Array.from({ length: 101 }, (_, n) => `tag-${n}`) }],
    ['actions that are an object', { actions: {} }],
    ['an action that is a text', { actions: ['approve'] }],
    ['action metadata that is no JSON', { actions: [{ ...action('a'), metadata: () => 1 }] }],
    ['a schema that is a text', { actions: [{ ...action('a'), schema: 'object' }] }],
    ['candidates that are one participant', { candidateUsers: user('ann') }],
    ['a candidate that is a text', { candidateUsers: ['ann'] }],
    [
      'more candidates than a task holds',
      { candidateUsers: Array.from({ length: 1001 }, (_, n) => user(`u${n}`)) },
    ],
    ['a form without a key', { form: { providerName: 'acme-forms' } }],
    ['a form with a blank provider', { form: { providerName: ' ', key: 'k' } }],
    ['a form with a version that is a number', { form: { ...REVIEW_FORM, version: 3 } }],
    ['a form with a blank binding', { form: { ...REVIEW_FORM, binding: ' ' } }],
    ['a form that is a text', { form: 'acme-forms/invoice-review' }],
    ['U+0000 in a form key', { form: { ...REVIEW_FORM, key: 'a\u0000' } }],
    [
      'a form beside an action with a schema of its own',
      { form: REVIEW_FORM, actions: [{ ...action('a'), schema: true }] },
    ],
    ['a due date that is no time at all', { dueAt: 'tomorrow' }],
    ['a due date of no duration', { dueAt: 'P0D' }],
    ['a due date in the past by duration', { dueAt: '-P1D' }],
    ['a due date beyond the year 9999', { dueAt: 'P8000Y' }],
    ['a due date without offset', { dueAt: '2026-03-04T09:00:00' }],
    ['a due date that is a number', { dueAt: 1_772_614_800_000 }],
    ['a flag that is a text', { enableTimeoutOutcome: 'yes' }],
    ['task data that is no JSON', { taskData: { at: 1n } }],
    ['U+0000 in a title', { title: 'a\u0000b' }],
    ['half a surrogate pair in a reference', { reference: '\ud83d' }],
    ['U+0000 in a tag', { tags: ['a\u0000'] }],
    ['U+0000 in an action key', { actions: [action('a\u0000')] }],
    ['U+0000 in a group', { candidateGroups: [group('a\u0000')] }],
  ])('with %s', (_name, given) => {
    expect(refusalOf(given)).toMatchObject({ code: 'invalid-definition' });
  });

  it.each<[string, object]>([
    ['the assignee', { assignee: user('ann', { tenantId: OTHER_TENANT }) }],
    ['the requester', { requester: user('ann', { tenantId: OTHER_TENANT }) }],
    [
      'a candidate user',
      { candidateUsers: [user('ben'), user('ann', { tenantId: OTHER_TENANT })] },
    ],
    ['a candidate group', { candidateGroups: [group('g', { tenantId: OTHER_TENANT })] }],
    ['an excluded user', { excludedUsers: [user('ann', { tenantId: 'Acme' })] }],
  ])('when %s belongs to another tenant (UT-033)', (_name, given) => {
    expect(refusalOf(given)).toMatchObject({ code: 'cross-tenant-participant' });
  });

  it('without repeating what it refuses, which may be protected (UT-047)', () => {
    const secret = 'SECRET-4711';
    const refusals = [
      refusalOf({ instructions: secret.repeat(LIMIT) }),
      refusalOf({ taskData: { secret: [secret, 1n] } }),
      refusalOf({ title: { secret } }),
      refusalOf({ candidateUsers: [{ secret }] }),
    ];

    expect(refusals.map((refusal) => refusal?.code)).toEqual([
      'payload-too-large',
      'invalid-definition',
      'invalid-definition',
      'invalid-definition',
    ]);
    expect(JSON.stringify(refusals)).not.toContain(secret);
  });
});

describe('what must be asked before a task can be', () => {
  const needsOf = (given: object): ReturnType<typeof resolutionNeeds> =>
    resolutionNeeds(inputsOf(given), given);
  const nothing = { form: null, groups: [], excludedUsers: [], dueAt: null };

  it('is nothing for live groups, users, instants and durations (UT-063, UT-068)', () => {
    expect(needsOf({ candidateGroups: [CLERKS], dueAt: 'P2D' })).toBeNull();
    expect(needsOf({ dueAt: '2026-12-24T17:00:00Z' })).toBeNull();
    expect(
      needsOf({ candidateUsers: [user('ann')], membershipResolutionMode: 'Snapshot' }),
    ).toBeNull();
  });

  it('is the form, the groups of a snapshot and the zone of a local date (UT-066, UT-086, UT-385)', () => {
    const local = { localDate: '2026-12-24', timeZone: 'Europe/Berlin' };

    expect(needsOf({ form: REVIEW_FORM })).toEqual({ ...nothing, form: REVIEW_FORM });
    expect(needsOf({ dueAt: local })).toEqual({ ...nothing, dueAt: local });
    expect(
      needsOf({
        candidateGroups: [CLERKS],
        excludedUsers: [user('eve')],
        membershipResolutionMode: 'Snapshot',
      }),
    ).toEqual({ ...nothing, groups: [CLERKS], excludedUsers: [user('eve')] });
  });
});

function action(key: string): { key: string; label: string } {
  return { key, label: 'Label' };
}
