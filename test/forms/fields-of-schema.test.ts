import { fieldsOfSchema, fieldsOfSchemas } from '../../forms/fields-of-schema';

const PLAIN = { type: 'text', required: false, masked: false, canReveal: false };

describe('the fields of a schema', () => {
  it('are its properties with shape and flags, never values (UT-085)', () => {
    const fields = fieldsOfSchema({
      type: 'object',
      required: ['amount', 'undescribed'],
      properties: {
        amount: { type: 'number', title: 'Amount', default: 4711, examples: [4711] },
        note: {},
        iban: { type: 'string', 'x-masked': true, 'x-revealable': true },
        pin: { type: 'string', 'x-masked': true },
        open: { 'x-revealable': true },
        several: { type: ['string', 'null'] },
        anything: true,
      },
    });

    expect(fields).toEqual([
      { ...PLAIN, key: 'amount', label: 'Amount', type: 'number', required: true },
      { ...PLAIN, key: 'note', label: 'note' },
      { ...PLAIN, key: 'iban', label: 'iban', type: 'string', masked: true, canReveal: true },
      { ...PLAIN, key: 'pin', label: 'pin', type: 'string', masked: true },
      { ...PLAIN, key: 'open', label: 'open' },
      { ...PLAIN, key: 'several', label: 'several' },
      { ...PLAIN, key: 'anything', label: 'anything' },
    ]);
    expect(JSON.stringify(fields)).not.toContain('4711');
  });

  it.each([
    ['nothing', null],
    ['true', true],
    ['a list', []],
    ['a schema of a text', { type: 'string' }],
    ['properties that are a list', { properties: [] }],
  ])('are none of %s', (_name, schema) => {
    expect(fieldsOfSchema(schema)).toEqual([]);
  });

  it('take nothing for masked that does not say so clearly', () => {
    for (const flag of ['true', 1, {}, null]) {
      expect(fieldsOfSchema({ properties: { a: { 'x-masked': flag } } })[0]?.masked).toBe(false);
    }
  });
});

describe('the fields of several schemas', () => {
  const schema = (iban: object): unknown => ({ properties: { iban, note: {} } });

  it('are each key once, in order, the first description kept (UT-085)', () => {
    const fields = fieldsOfSchemas([
      { properties: { a: { title: 'first' }, b: {} } },
      { properties: { c: {}, a: { title: 'second' } } },
    ]);

    expect(fields.map(({ key, label }) => [key, label])).toEqual([
      ['a', 'first'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
  });

  it.each([
    ['the first', [{ 'x-masked': true }, {}]],
    ['the last', [{}, { 'x-masked': true }]],
  ])('are masked when %s masks them (UT-046)', (_name, described) => {
    expect(fieldsOfSchemas(described.map(schema))).toMatchObject([
      { key: 'iban', masked: true, canReveal: false },
      { key: 'note', masked: false },
    ]);
  });

  it('can be revealed only if all that mask them say so (UT-097)', () => {
    const revealable = { 'x-masked': true, 'x-revealable': true };

    expect(fieldsOfSchemas([schema({}), schema(revealable)])[0]?.canReveal).toBe(true);
    expect(fieldsOfSchemas([schema(revealable), schema({ 'x-masked': true })])[0]).toMatchObject({
      masked: true,
      canReveal: false,
    });
  });
});
