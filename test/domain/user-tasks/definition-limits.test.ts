import {
  isRejection,
  parseInputs,
  type InputContext,
  type TaskInputs,
} from '../../../domain/user-tasks/definition';
import { MAXIMUM_PAYLOAD_BYTES } from '../../../domain/user-tasks/limits';
import type { Rejection } from '../../../domain/user-tasks/rejection';
import { TENANT } from '../../builders/people';
import { CREATED_AT } from '../../builders/task';

const LIMIT = 262_144;
const CONTEXT: InputContext = { tenantId: TENANT, now: CREATED_AT, resolvedDueAt: null };

function inputsOf(given: object): TaskInputs {
  const read = parse(given);
  if (isRejection(read)) throw new Error(read.detail);
  return read;
}

function refusalOf(given: object): Rejection | null {
  const read = parse(given);
  return isRejection(read) ? read : null;
}

function parse(given: object): TaskInputs | Rejection {
  return parseInputs({ title: 'Approve', ...given }, CONTEXT);
}

describe('limits', () => {
  it.each([
    ['title', 500],
    ['summary', 4000],
    ['reference', 500],
    ['taskType', 200],
  ])('accept a %s of exactly %i characters (UT-014)', (name, limit) => {
    const text = 'é'.repeat(limit);

    expect(inputsOf({ [name]: text })).toMatchObject({ [name]: text });
    expect(refusalOf({ [name]: `${text}é` })).toMatchObject({ code: 'invalid-definition' });
  });

  it('accept an action key of exactly 200 characters and the priorities 0 and 100 (UT-014)', () => {
    expect(inputsOf({ actions: [action('k'.repeat(200))] }).actions[0]?.key).toHaveLength(200);
    expect(inputsOf({ priority: 0 }).priority).toBe(0);
    expect(inputsOf({ priority: 100 }).priority).toBe(100);
  });

  it.each([
    ['ASCII', 'a'.repeat(LIMIT)],
    ['two-byte', 'é'.repeat(LIMIT / 2)],
    ['four-byte', '😀'.repeat(LIMIT / 4)],
  ])(
    'accept instructions of exactly 262,144 bytes in %s characters and refuse one more (UT-031)',
    (_name, text) => {
      expect(inputsOf({ instructions: text }).instructions).toBe(text);
      expect(refusalOf({ instructions: `${text}a` })).toMatchObject({ code: 'payload-too-large' });
    },
  );

  it('accept task data of exactly 262,144 bytes serialised and refuse one more (UT-031)', () => {
    const quotes = 2;
    const data = 'a'.repeat(LIMIT - quotes);

    expect(inputsOf({ taskData: data }).taskData).toBe(data);
    expect(refusalOf({ taskData: `${data}a` })).toMatchObject({ code: 'payload-too-large' });
    expect(refusalOf({ taskData: { a: 'é'.repeat(LIMIT / 2) } })).toMatchObject({
      code: 'payload-too-large',
    });
  });

  it('hold for actions with their schemas too (UT-042)', () => {
    const wide = { type: 'object', description: 'x'.repeat(LIMIT) };

    expect(refusalOf({ actions: [{ ...action('a'), schema: wide }] })).toMatchObject({
      code: 'payload-too-large',
    });
  });

  it('are 256 KiB for a payload (UT-042)', () => {
    expect(MAXIMUM_PAYLOAD_BYTES).toBe(LIMIT);
  });
});

function action(key: string): { key: string; label: string } {
  return { key, label: 'Label' };
}
