import fc from 'fast-check';
import { instantOf, type Instant } from '../../domain/instant';
import type { Json } from '../../domain/json';
import type { Person } from '../../domain/user-tasks/actor';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import { hostileText, participantReference } from './values';

export function instant(): fc.Arbitrary<Instant> {
  const within = { min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z') };
  return fc.date({ ...within, noInvalidDate: true }).map((date) => instantOf(date.getTime()));
}

/** Any JSON value, with -0 as the 0 that its text is. */
export function json(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
}

export function anybody(): fc.Arbitrary<Person> {
  return fc.record({
    kind: fc.constant('person' as const),
    subject: participantReference().map((subject) => ({ ...subject, type: 'user' as const })),
    groups: fc.array(participantReference(), { maxLength: 3 }),
    grants: fc.array(fc.oneof(fc.constantFrom('*', 'user-tasks:claim'), fc.string()), {
      maxLength: 3,
    }),
  });
}

/** Every kind of command with every kind of content that can be sent, sensible or not. */
export function taskCommand(): fc.Arbitrary<TaskCommand> {
  const base = {
    operationId: hostileText(40).filter((text) => text.trim() !== ''),
    expectedRevision: fc.maxSafeNat(),
    actor: anybody(),
    notAfter: fc.option(instant(), { nil: null }),
    projectedBySender: fc.boolean(),
    entitledBy: fc.constantFrom(null, 'SnapshotMember' as const),
  };
  const reason = fc.option(hostileText(), { nil: null });
  const kind = <K extends string>(name: K): fc.Arbitrary<K> => fc.constant(name);
  return fc.oneof(
    fc.record({ kind: kind('claim'), ...base }),
    fc.record({ kind: kind('release'), ...base, reason }),
    fc.record({ kind: kind('assign'), ...base, assignee: participantReference(), reason }),
    fc.record(
      {
        kind: kind('update'),
        ...base,
        priority: fc.integer(),
        dueAt: fc.option(instant(), { nil: null }),
      },
      { requiredKeys: ['kind', ...(Object.keys(base) as (keyof typeof base)[])] },
    ),
    fc.record({
      kind: kind('complete'),
      ...base,
      actionKey: fc.string(),
      data: json(),
      receivedHash: fc.option(fc.string(), { nil: null }),
    }),
    fc.record({ kind: kind('cancel'), ...base, reason: fc.oneof(fc.constant(''), hostileText()) }),
    fc.record({ kind: kind('retryResolution'), ...base }),
  );
}

/** A command of which one member was replaced by anything, or lost. */
export function nearlyACommand(): fc.Arbitrary<unknown> {
  const member = fc.constantFrom(
    ...[
      'operationId',
      'expectedRevision',
      'actor',
      'notAfter',
      'reason',
      'assignee',
      'priority',
      'dueAt',
    ],
    ...['actionKey', 'data', 'receivedHash', 'entitledBy'],
  );
  return fc
    .tuple(taskCommand(), member, fc.oneof(fc.anything(), fc.constant(undefined)))
    .map(([command, name, value]) => ({ ...command, [name]: value }));
}
