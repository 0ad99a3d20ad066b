import fc from 'fast-check';
import { isStorableText } from '../../domain/json';
import type { ParticipantReference } from '../../domain/user-tasks/participant';

/** Text with separators, accents, emoji and blanks; never empty, never what storage cannot hold. */
export function hostileText(maxLength = 20): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength }),
      fc.constantFrom(
        'a/b',
        'a|b',
        'group,with;delimiters',
        '"',
        '\\',
        '../',
        '%2F',
        ' x ',
        '__proto__',
      ),
    )
    .filter((text) => isStorableText(text));
}

/** Participants that often differ in one part only. */
export function participantReference(): fc.Arbitrary<ParticipantReference> {
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'A', 'a/b') },
    { weight: 1, arbitrary: hostileText() },
  );
  return fc.record({
    tenantId: part,
    provider: part,
    type: fc.constantFrom('user' as const, 'group' as const),
    id: part,
    displayName: fc.option(hostileText(), { nil: null }),
  });
}
