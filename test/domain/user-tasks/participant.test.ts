import fc from 'fast-check';
import {
  distinctParticipants,
  isAmong,
  isSameParticipant,
  isSameSender,
  parseParticipant,
  PARTICIPANT_LIMITS,
  participantKey,
  type ParticipantReference,
} from '../../../domain/user-tasks/participant';
import { group, user } from '../../builders/people';
import { participantReference } from '../../arbitraries/values';

describe('the identity of a participant', () => {
  it.each<[string, Partial<ParticipantReference>]>([
    ['tenantId', { tenantId: 'Acme' }],
    ['provider', { provider: 'Directory' }],
    ['type', { type: 'group' }],
    ['id', { id: 'ZOË' }],
    ['id by one blank', { id: 'zoë ' }],
    ['id by its Unicode form', { id: 'zoe\u0308' }],
  ])('is another when %s differs (UT-050, UT-051)', (_part, difference) => {
    const zoe = user('zo\u00eb');

    expect(isSameParticipant(zoe, { ...zoe, ...difference })).toBe(false);
    expect(participantKey(zoe)).not.toBe(participantKey({ ...zoe, ...difference }));
  });

  it('does not depend on the display name (UT-048, UT-050)', () => {
    expect(isSameParticipant(user('ann'), user('ann', { displayName: 'Ann Bee' }))).toBe(true);
    expect(isSameParticipant(user('ann'), user('ann', { displayName: null }))).toBe(true);
  });

  it('is never that of nobody', () => {
    expect(isSameParticipant(null, null)).toBe(false);
    expect(isSameParticipant(user('ann'), null)).toBe(false);
  });

  it.each([
    [user('b|c', { provider: 'a' }), user('c', { provider: 'a|b' })],
    [user('b/c', { provider: 'a' }), user('c', { provider: 'a/b' })],
    [user('","user","x'), user('x')],
  ])('keeps its parts apart whatever separators they hold (UT-051)', (one, other) => {
    expect(participantKey(one)).not.toBe(participantKey(other));
  });

  it('is equal exactly when all four parts are (UT-050)', () => {
    fc.assert(
      fc.property(participantReference(), participantReference(), (a, b) => {
        const parts = (p: ParticipantReference): unknown[] => [
          p.tenantId,
          p.provider,
          p.type,
          p.id,
        ];
        const equal = JSON.stringify(parts(a)) === JSON.stringify(parts(b));
        expect(isSameParticipant(a, b)).toBe(equal);
      }),
    );
  });
});

describe('lists of participants', () => {
  it('hold each identity once, with its first display name (UT-033)', () => {
    const list = [
      user('a', { displayName: 'first' }),
      user('a', { displayName: 'second' }),
      user('b'),
      user('b'),
    ];

    expect(distinctParticipants(list)).toEqual([user('a', { displayName: 'first' }), user('b')]);
  });

  it('tell whether somebody is among them', () => {
    expect(isAmong(user('a'), [user('b'), user('a', { displayName: null })])).toBe(true);
    expect(isAmong(user('a'), [group('a')])).toBe(false);
    expect(isAmong(user('a'), [])).toBe(false);
  });
});

describe('reading a participant', () => {
  it.each([
    ['separators', 'group,with;delimiters'],
    ['slashes and pipes', 'a/b|c\\d'],
    ['blanks around it', '  finance  '],
    ['other scripts', '承認者 Übung 😀'],
    ['mixed case', 'FiNaNcE'],
  ])('keeps an id with %s byte for byte (UT-051, UT-055)', (_name, id) => {
    expect(parseParticipant({ ...group('x'), id })).toEqual(group('x', { id }));
  });

  it('takes an absent display name for none and the empty tenant for a tenant (UT-382)', () => {
    expect(parseParticipant({ tenantId: '', provider: 'p', type: 'user', id: 'a' })).toEqual({
      tenantId: '',
      provider: 'p',
      type: 'user',
      id: 'a',
      displayName: null,
    });
  });

  it.each([
    ['null', null],
    ['a text', 'ann'],
    ['a list', [user('ann')]],
    ['no tenant', { ...user('ann'), tenantId: undefined }],
    ['no provider', { ...user('ann'), provider: '' }],
    ['an unknown type', { ...user('ann'), type: 'robot' }],
    ['no id', { ...user('ann'), id: '' }],
    ['a number for an id', { ...user('ann'), id: 7 }],
    ['a number for a name', { ...user('ann'), displayName: 7 }],
    ['U+0000', { ...user('ann'), id: 'a\u0000' }],
    ['half a surrogate pair', { ...user('ann'), displayName: '\ud83d' }],
  ])('says what is wrong with %s (UT-050)', (_name, value) => {
    expect(parseParticipant(value)).toEqual(expect.any(String));
  });

  it('takes an empty id only where that is asked for, and nothing else then (UT-118)', () => {
    expect(parseParticipant(user(''), { emptyId: true })).toEqual(user(''));
    expect(parseParticipant(user(''))).toEqual(expect.any(String));
    expect(parseParticipant({ ...user(''), provider: '' }, { emptyId: true })).toEqual(
      expect.any(String),
    );
  });

  it.each(Object.entries(PARTICIPANT_LIMITS))(
    'accepts a %s of exactly %i characters and refuses one more (UT-288)',
    (part, limit) => {
      const ofLength = (length: number): unknown => ({
        ...user('ann'),
        [part]: 'x'.repeat(length),
      });

      expect(parseParticipant(ofLength(limit))).toEqual(ofLength(limit));
      expect(parseParticipant(ofLength(limit + 1))).toEqual(expect.stringContaining(part));
    },
  );

  it('has the limits of the storage (UT-288)', () => {
    expect(PARTICIPANT_LIMITS).toEqual({ tenantId: 450, provider: 200, id: 450, displayName: 500 });
  });
});

describe('senders', () => {
  it('are the same when they are one person, or the system both (UT-141)', () => {
    expect(isSameSender(user('a', { displayName: 'A' }), user('a'))).toBe(true);
    expect(isSameSender(user('a'), user('b'))).toBe(false);
    expect(isSameSender(null, null)).toBe(true);
    expect(isSameSender(null, user('a'))).toBe(false);
    expect(isSameSender(user('a'), null)).toBe(false);
  });
});
