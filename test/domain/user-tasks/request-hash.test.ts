import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { requestHash, timeoutHash } from '../../../domain/user-tasks/request-hash';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../builders/commands';
import { clerk, colleague, manager, user } from '../../builders/people';
import { CREATED_AT, later } from '../../builders/task';

const REVISION = { expectedRevision: 3 };
const CLERK = '["acme","directory","user","clerk"]';
const MANAGER = '["acme","directory","user","manager"]';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').toUpperCase();
}

describe('the request hash', () => {
  it.each([
    [
      'retryResolution',
      retryResolution(manager, REVISION),
      `RetryResolution:{"expectedRevision":3,"subject":${JSON.stringify(MANAGER)}}`,
    ],
    [
      'claim',
      claim(clerk, REVISION),
      `Claim:{"expectedRevision":3,"reason":null,"requestValue":null,"subject":${JSON.stringify(CLERK)}}`,
    ],
    [
      'release',
      release(clerk, { ...REVISION, reason: 'r' }),
      `Release:{"expectedRevision":3,"reason":"r","requestValue":null,"subject":${JSON.stringify(CLERK)}}`,
    ],
    [
      'assign',
      assign(manager, { ...REVISION, assignee: user('clerk') }),
      `Assign:{"expectedRevision":3,"reason":null,"requestValue":${JSON.stringify(CLERK)},"subject":${JSON.stringify(MANAGER)}}`,
    ],
    [
      'update',
      update(manager, { ...REVISION, priority: 7, dueAt: null }),
      `ScheduleUpdate:{"expectedRevision":3,"reason":null,"requestValue":{"dueAt":null,"priority":7},"subject":${JSON.stringify(MANAGER)}}`,
    ],
    [
      'complete',
      complete(clerk, { ...REVISION, actionKey: 'approve', data: { b: 1, a: 'é' } }),
      `Complete:{"actionKey":"approve","data":{"a":"é","b":1},"expectedRevision":3,"subject":${JSON.stringify(CLERK)}}`,
    ],
    [
      'cancel',
      cancel(manager, { ...REVISION, reason: 'r' }),
      `Cancel:{"expectedRevision":3,"reason":"r","subject":${JSON.stringify(MANAGER)}}`,
    ],
  ])(
    'of %s is SHA-256, in upper-case hex, of its kind and its canonical content (UT-140, UT-141)',
    (_verb, command, text) => {
      expect(requestHash(command)).toBe(sha256(text));
    },
  );

  it('of a timeout covers the revision and the due date (UT-130)', () => {
    const dueAt = later(CREATED_AT, 60);

    expect(timeoutHash(3, dueAt)).toBe(sha256(`Timeout:{"dueAt":"${dueAt}","expectedRevision":3}`));
  });

  it('does not cover operation id, deadline, projecting side, grants, groups and labels (UT-140, UT-141)', () => {
    const one = assign(manager, REVISION);
    const other = assign(
      { ...manager, grants: [], groups: [], subject: { ...manager.subject, displayName: null } },
      {
        ...REVISION,
        notAfter: CREATED_AT,
        projectedBySender: false,
        assignee: user('clerk', { displayName: 'C.' }),
      },
    );

    expect(other.operationId).not.toBe(one.operationId);
    expect(requestHash(other)).toBe(requestHash(one));
  });

  it('covers who asks (UT-141)', () => {
    expect(requestHash(claim(clerk, REVISION))).not.toBe(requestHash(claim(colleague, REVISION)));
  });

  it('of an update tells an absent due date from a cleared one (UT-124, UT-140)', () => {
    const absent = update(manager, { ...REVISION, priority: 7 });

    expect(requestHash(absent)).not.toBe(requestHash({ ...absent, dueAt: null }));
  });

  it('of completions is equal exactly when their data are equal as JSON (UT-141)', () => {
    const hash = (data: unknown): string =>
      requestHash(complete(clerk, { ...REVISION, data: data as never }));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(hash(a)).toBe(hash(shuffled(a)));
        if (JSON.stringify(a) !== JSON.stringify(b) && hash(a) === hash(b)) expect(a).toEqual(b);
      }),
    );
  });
});

/** The same value with the keys of its objects in the opposite order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}
