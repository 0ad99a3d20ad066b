import { z } from 'zod';
import * as mini from 'zod/mini';
import { defineTask, type Actions } from '../../client/workflow';

function schemaOf(schema: z.ZodType | mini.ZodMiniType) {
  return defineTask({ actions: { act: { label: 'Act', schema } } }).actions[0]!.schema;
}

describe('a task definition', () => {
  it('keeps the order of its actions, their labels and their metadata (UT-078, UT-391)', () => {
    const { actions } = defineTask({
      actions: { reject: { label: 'No' }, approve: { label: 'Yes', metadata: { icon: 'check' } } },
    });
    expect(actions).toEqual([
      { key: 'reject', label: 'No', metadata: null, schema: null },
      { key: 'approve', label: 'Yes', metadata: { icon: 'check' }, schema: null },
    ]);
  });

  it('turns zod schemas into JSON Schema of what a person may send', () => {
    const schema = z.object({
      amount: z.number().positive().describe('in euros'),
      note: z.string().max(20).default('none'),
      lines: z.array(z.object({ account: z.string().optional() })),
    });
    const expected = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        amount: { type: 'number', exclusiveMinimum: 0, description: 'in euros' },
        note: { type: 'string', maxLength: 20, default: 'none' },
        lines: {
          type: 'array',
          items: { type: 'object', properties: { account: { type: 'string' } } },
        },
      },
      required: ['amount', 'lines'],
    };
    expect(schemaOf(schema)).toEqual(expected);
    expect(JSON.parse(JSON.stringify(schemaOf(schema)))).toEqual(expected);
  });

  it('takes schemas of zod/mini too', () => {
    expect(schemaOf(mini.object({ amount: mini.number() }))).toMatchObject({
      required: ['amount'],
    });
  });

  it('takes schemas that refer to themselves', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    expect(JSON.stringify(schemaOf(tree))).toContain('"$ref"');
  });

  it.each([
    ['a transform', z.object({ a: z.string().transform(Number) }), '/properties/a'],
    ['a preprocessing', z.object({ a: z.preprocess(String, z.string()) }), '/properties/a'],
    ['a codec', z.object({ a: z.stringbool() }), '/properties/a'],
    ['a pipe', z.object({ a: z.string().pipe(z.email()) }), '/properties/a'],
    ['a date', z.object({ a: z.date() }), '/properties/a'],
    ['a coerced date', z.object({ a: z.array(z.coerce.date()) }), '/properties/a'],
    ['bigint', z.object({ a: z.bigint() }), '/properties/a'],
    ['a fallback', z.object({ a: z.string().catch('x') }), '/properties/a'],
    ['a map', z.object({ a: z.map(z.string(), z.string()) }), '/properties/a'],
    ['a set', z.set(z.string()), 'the top'],
    ['a file', z.object({ a: z.file() }), '/properties/a'],
    ['undefined', z.object({ a: z.undefined() }), '/properties/a'],
    ['a class', z.object({ a: z.instanceof(URL) }), '/properties/a'],
  ])('refuses %s where it is defined, and says where it stands', (_what, schema, place) => {
    expect(() => schemaOf(schema)).toThrow(TypeError);
    expect(() => schemaOf(schema)).toThrow('action act: ');
    expect(() => schemaOf(schema)).toThrow(`(at ${place}`);
  });

  it('lets refinements pass, which JSON Schema cannot enforce', () => {
    const even = z.object({ a: z.number().refine((value) => value % 2 === 0) });
    expect(schemaOf(even)).toMatchObject({ properties: { a: { type: 'number' } } });
  });

  const wrongActions: readonly [string, Actions, string][] = [
    ['a blank key', { ' ': { label: 'x' } }, 'must not be blank'],
    ['a blank label', { approve: { label: ' ' } }, 'label must not be blank'],
    [
      'a key that differs in case only',
      { approve: { label: 'x' }, Approve: { label: 'y' } },
      'unique',
    ],
    ['a reserved key', { timeout: { label: 'x' } }, 'reserved'],
  ];
  it.each(wrongActions)('refuses %s (UT-030, UT-079, UT-080)', (_what, actions, message) => {
    expect(() => defineTask({ actions })).toThrow(message);
  });

  it('refuses defaults out of bounds (UT-122)', () => {
    expect(() => defineTask({ priority: 101 })).toThrow('priority');
    expect(() => defineTask({ instructions: 'a'.repeat(262_145) })).toThrow('262144');
  });
});
