import type { Json } from '../../domain/json';
import { isPinnedForm, type FormReference, type PinnedForm } from '../../domain/user-tasks/form';
import type { FormProvider, FormSubmission } from '../../forms/form-provider';
import { jsonSchemaProvider } from '../../forms/json-schema-provider';
import { OTHER_TENANT, TENANT } from '../builders/people';
import { FormShelf } from './form-shelf';

const REVIEW: FormReference = {
  providerName: 'json-schema',
  key: 'invoice-review',
  binding: null,
  version: null,
};
const SECRET = 'SECRET-4711';

const object = (properties: Json, rest: object = {}): Json => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});
const AMOUNT = object({ amount: { type: 'number' } }, { required: ['amount'] });

function shelfOf(...versions: Readonly<Record<string, Json>>[]): FormShelf {
  const shelf = new FormShelf();
  for (const schemas of versions) shelf.publish(TENANT, REVIEW.key, schemas);
  return shelf;
}

async function pin(
  provider: FormProvider,
  reference: Partial<FormReference> = {},
): Promise<PinnedForm> {
  const form = await provider.resolve(TENANT, { ...REVIEW, ...reference });
  if (form === null) throw new Error('no such form');
  return form;
}

/** Submits to the newest version of a form with these schemas. */
async function submit(
  schemas: Readonly<Record<string, Json>>,
  actionKey: string,
  data: Json,
): Promise<FormSubmission> {
  const provider = jsonSchemaProvider(shelfOf(schemas));
  return provider.validateAndNormalize(TENANT, await pin(provider), actionKey, data);
}

describe('pinning a stored form', () => {
  const three = (): FormProvider =>
    jsonSchemaProvider(
      shelfOf({ '*': {} }, { '*': AMOUNT }, { ok: AMOUNT, no: object({ why: {} }) }),
    );

  it.each<[string, Partial<FormReference>, string]>([
    ['the newest without a selector', {}, '3'],
    ['the newest by binding', { binding: 'latest' }, '3'],
    ['one by version', { version: '2' }, '2'],
    ['one by binding', { binding: 'version:2' }, '2'],
    ['the version before the binding', { version: '1', binding: 'latest' }, '1'],
  ])('chooses %s (UT-086)', async (_name, reference, version) => {
    expect((await pin(three(), reference)).pinnedVersion).toBe(version);
  });

  it.each<[string, Partial<FormReference>]>([
    ['a key that is not stored', { key: 'other' }],
    ['a version that is not stored', { version: '4' }],
    ['a bound version that is not stored', { binding: 'version:9' }],
    ['a version that is none', { version: 'latest' }],
    ['version 0', { version: '0' }],
    ['a negative version', { binding: 'version:-1' }],
    ['a binding that it does not know', { binding: 'channel:stable' }],
  ])('gives nothing for %s, and no other instead (UT-087, UT-088)', async (_name, reference) => {
    expect(await three().resolve(TENANT, { ...REVIEW, ...reference })).toBeNull();
  });

  it('gives nothing to another tenant (UT-382)', async () => {
    expect(await three().resolve(OTHER_TENANT, REVIEW)).toBeNull();
  });

  it('answers what was asked with the version, the fields and no more than may be kept (UT-085)', async () => {
    const reference = { ...REVIEW, binding: 'latest' };
    const form = await pin(three(), reference);

    expect(form.requested).toEqual(reference);
    expect(form.fields.map(({ key, required }) => [key, required])).toEqual([
      ['amount', true],
      ['why', false],
    ]);
    expect(isPinnedForm(form, reference)).toBe(true);
  });
});

describe('a form that has been pinned', () => {
  it('stays as it was when newer versions are published (UT-086, UT-088, UT-089)', async () => {
    const shelf = shelfOf({ '*': AMOUNT });
    const provider = jsonSchemaProvider(shelf);
    const form = await pin(provider, { binding: 'latest' });
    shelf.publish(TENANT, REVIEW.key, { '*': object({ total: { type: 'number' } }) });
    const validate = (to: PinnedForm, data: Json): Promise<FormSubmission> =>
      provider.validateAndNormalize(TENANT, to, 'ok', data);

    expect(form.pinnedVersion).toBe('1');
    expect(await validate(form, { amount: 1 })).toMatchObject({ succeeded: true });
    expect(await validate(form, { total: 1 })).toMatchObject({ succeeded: false });
    const newest = await pin(provider, { binding: 'latest' });
    expect(newest.pinnedVersion).toBe('2');
    expect(await validate(newest, { total: 1 })).toMatchObject({ succeeded: true });
  });

  it('whose version is gone is a failure, not another form (UT-088)', async () => {
    const form = await pin(jsonSchemaProvider(shelfOf({ '*': AMOUNT })));
    const elsewhere = jsonSchemaProvider(new FormShelf());

    await expect(elsewhere.validateAndNormalize(TENANT, form, 'ok', { amount: 1 })).rejects.toThrow(
      'gone',
    );
  });
});

describe('validating a submission', () => {
  it('goes by the selected action, else by the schema for all (UT-089)', async () => {
    const schemas = { ok: AMOUNT, '*': object({ why: { type: 'string' } }) };

    expect(await submit(schemas, 'ok', { amount: 1 })).toMatchObject({ succeeded: true });
    expect(await submit(schemas, 'ok', { why: 'x' })).toMatchObject({ succeeded: false });
    expect(await submit(schemas, 'no', { why: 'x' })).toMatchObject({ succeeded: true });
    expect(await submit(schemas, 'no', { amount: 1 })).toMatchObject({ succeeded: false });
  });

  it('takes no data for an action that the form does not mention (UT-089)', async () => {
    expect(await submit({ ok: AMOUNT }, 'no', {})).toEqual({ succeeded: true, normalizedData: {} });
    expect(await submit({ ok: AMOUNT }, 'no', { amount: 1 })).toMatchObject({ succeeded: false });
    expect(await submit({ ok: AMOUNT }, 'no', 'text')).toMatchObject({ succeeded: false });
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'knows no action named %s but one that the form mentions (UT-089)',
    async (key) => {
      expect(await submit({ '*': AMOUNT }, key, { amount: 1 })).toMatchObject({ succeeded: true });
    },
  );

  it('fills in defaults and leaves what was submitted as it is (UT-089, UT-091)', async () => {
    const schema = object({
      amount: { type: 'number' },
      currency: { type: 'string', default: 'EUR' },
      lines: { type: 'object', default: { n: 1 } },
    });
    const data = { amount: 1250 };

    expect(await submit({ '*': schema }, 'ok', data)).toEqual({
      succeeded: true,
      normalizedData: { amount: 1250, currency: 'EUR', lines: { n: 1 } },
    });
    expect(data).toEqual({ amount: 1250 });
  });

  it('coerces nothing (UT-089)', async () => {
    expect(await submit({ '*': AMOUNT }, 'ok', { amount: '1250' })).toMatchObject({
      succeeded: false,
    });
  });

  it.each<[string, Json, Json, string]>([
    ['a missing member', AMOUNT, {}, '/data/amount'],
    ['a wrong type', AMOUNT, { amount: SECRET }, '/data/amount'],
    ['a wrong value', object({ a: { enum: ['x'] } }), { a: SECRET }, '/data/a'],
    ['a constant', object({ a: { const: 'x' } }), { a: SECRET }, '/data/a'],
    ['a pattern', object({ a: { pattern: '^x$' } }), { a: SECRET }, '/data/a'],
    ['a format', object({ a: { format: 'date' } }), { a: SECRET }, '/data/a'],
    ['a member too many', AMOUNT, { amount: 1, [SECRET]: SECRET }, '/data'],
    ['a name that is not allowed', { propertyNames: { maxLength: 3 } }, { [SECRET]: 1 }, '/data'],
    [
      'a place in a list',
      object({ a: { items: { type: 'number' } } }),
      { a: [1, SECRET] },
      '/data/a/1',
    ],
    ['a name with separators', object({}, { required: ['a/b~c'] }), {}, '/data/a~1b~0c'],
  ])(
    'points at %s and never repeats what was submitted (UT-090)',
    async (_name, schema, data, pointer) => {
      const outcome = await submit({ '*': schema }, 'ok', data);

      expect(outcome.succeeded).toBe(false);
      const errors = outcome.succeeded ? [] : outcome.errors;
      expect(errors.map((error) => error.pointer)).toContain(pointer);
      expect(errors.every(({ detail }) => detail !== '')).toBe(true);
      expect(JSON.stringify(errors)).not.toContain(SECRET);
    },
  );

  it('tells all errors, but not thousands (UT-090)', async () => {
    const required = Array.from({ length: 80 }, (_, n) => `field-${n}`);
    const few = await submit({ '*': object({}, { required: ['a', 'b'] }) }, 'ok', {});
    const many = await submit({ '*': object({}, { required }) }, 'ok', {});

    expect(few.succeeded ? [] : few.errors).toHaveLength(2);
    expect(many.succeeded ? [] : many.errors).toHaveLength(50);
  });
});
