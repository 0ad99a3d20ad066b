import { jsonBytes, type Json } from '../../domain/json';
import { formProviders, type FormProvider, type FormSubmission } from '../../forms/form-provider';
import { jsonSchemaProvider } from '../../forms/json-schema-provider';
import { validateSubmission, type Submission } from '../../forms/validate-submission';
import { TENANT } from '../builders/people';
import { pinnedForm, REVIEW_FORM } from '../builders/resolution';
import { FormShelf } from './form-shelf';

const LIMIT = 262_144;
const NONE = formProviders([]);

/** A provider that answers the same to everything, and keeps what it was asked. */
function answering(answer: FormSubmission): FormProvider & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    name: REVIEW_FORM.providerName,
    asked,
    resolve: () => Promise.resolve(null),
    validateAndNormalize: (...args) => {
      asked.push(args);
      return Promise.resolve(answer);
    },
  };
}

function submission(overrides: Partial<Submission> = {}): Submission {
  const form = pinnedForm();
  return { tenantId: TENANT, form, schema: null, actionKey: 'ok', data: { a: 1 }, ...overrides };
}

describe('the providers of a process', () => {
  const named = (name: string): FormProvider => ({
    ...answering({ succeeded: false, errors: [] }),
    name,
  });

  it('are found by name, whatever the letter case (UT-084)', () => {
    const provider = named('Acme-Forms');
    const find = formProviders([provider, named('other')]);

    for (const name of ['Acme-Forms', 'acme-forms', 'ACME-FORMS'])
      expect(find(name)?.name).toBe(provider.name);
    expect(find('acme')).toBeNull();
    expect(find('constructor')).toBeNull();
  });

  it('are replaced by a later one of the same name (UT-059, UT-084)', () => {
    const later = named('JSON-Schema');

    expect(formProviders([named('json-schema'), later])('json-schema')?.name).toBe(later.name);
  });
});

describe('a submission for a provider’s form', () => {
  it('is judged by the provider, for pinned form, tenant and action (UT-089)', async () => {
    const provider = answering({ succeeded: true, normalizedData: { a: '1.00' } });
    const asked = submission({ schema: false });

    expect(await validateSubmission(formProviders([provider]), asked)).toEqual({
      data: { a: '1.00' },
    });
    expect(provider.asked).toEqual([[TENANT, asked.form, 'ok', { a: 1 }]]);
  });

  it('reaches the provider as {} when there is none (UT-089)', async () => {
    const provider = answering({ succeeded: true, normalizedData: {} });
    await validateSubmission(formProviders([provider]), submission({ data: null }));

    expect(provider.asked).toMatchObject([[TENANT, {}, 'ok', {}]]);
  });

  it('is refused with the provider’s field errors (UT-090)', async () => {
    const errors = [{ pointer: '/data/a', detail: 'must be more' }];
    const provider = answering({ succeeded: false, errors });

    expect(await validateSubmission(formProviders([provider]), submission())).toMatchObject({
      code: 'form-invalid',
      errors,
    });
  });

  it('is refused when the provider has gone (UT-090)', async () => {
    expect(await validateSubmission(NONE, submission())).toMatchObject({
      code: 'form-provider-missing',
    });
  });

  it('is not judged when the provider cannot be asked, whose words stay with it (UT-047)', async () => {
    const provider = answering({ succeeded: false, errors: [] });
    const failing = {
      ...provider,
      validateAndNormalize: () => Promise.reject(new Error('out of reach')),
    };

    await expect(validateSubmission(formProviders([failing]), submission())).rejects.toThrow(
      /^The form provider acme-forms failed \(Error\)\.$/,
    );
  });

  it('may be 256 KiB once it is normalised, and no byte more (UT-092)', async () => {
    const normalised = (bytes: number): Promise<unknown> => {
      const normalizedData = 'x'.repeat(bytes - 2);
      const provider = answering({ succeeded: true, normalizedData });
      return validateSubmission(formProviders([provider]), submission());
    };

    expect(await normalised(LIMIT)).toHaveProperty('data');
    expect(await normalised(LIMIT + 1)).toMatchObject({ code: 'payload-too-large' });
  });
});

describe('a submission that defaults make too large', () => {
  const schema = { type: 'object', properties: { pad: { default: 'x'.repeat(LIMIT) } } };

  it.each<[string, () => Promise<Partial<Submission>>]>([
    ['by the schema of its action', () => Promise.resolve({ form: null, schema })],
    ['by a stored form', async () => ({ form: await stored.resolve(TENANT, STORED) })],
  ])('%s is too large, not invalid (UT-092, UT-147)', async (_name, form) => {
    const read = await validateSubmission(formProviders([stored]), submission(await form()));

    expect(read).toMatchObject({ code: 'payload-too-large' });
  });

  const STORED = { ...REVIEW_FORM, providerName: 'json-schema' };
  const shelf = new FormShelf();
  shelf.publish(TENANT, STORED.key, { '*': schema });
  const stored = jsonSchemaProvider(shelf);
});

describe('a submission for an action with a schema of its own', () => {
  const ownSchema = (schema: Submission['schema'], data: Json): Promise<unknown> =>
    validateSubmission(NONE, submission({ form: null, schema, data }));

  it('is judged by that, and needs no provider (UT-089)', async () => {
    const schema = { type: 'object', required: ['a'], properties: { b: { default: 2 } } };

    expect(await ownSchema(schema, { a: 1 })).toEqual({ data: { a: 1, b: 2 } });
    expect(await ownSchema(schema, null)).toMatchObject({
      code: 'form-invalid',
      errors: [{ pointer: '/data/a' }],
    });
    expect(await ownSchema(false, {})).toMatchObject({ code: 'form-invalid' });
  });

  it('passes as it is where there is no schema at all', async () => {
    expect(await ownSchema(null, null)).toEqual({ data: null });
  });

  it('is refused when the schema cannot be read', async () => {
    expect(await ownSchema({ type: 'nonsense' }, {})).toMatchObject({
      code: 'form-resolution-failed',
    });
  });

  it('of schemas with one $id is judged by its own', async () => {
    const one = { $id: 'same', type: 'object', required: ['a'] };
    const other = { $id: 'same', type: 'object', required: ['b'] };

    expect(await ownSchema(one, { a: 1 })).toEqual({ data: { a: 1 } });
    expect(await ownSchema(other, { a: 1 })).toMatchObject({ code: 'form-invalid' });
  });

  it('counts its size in bytes of UTF-8 (UT-042)', async () => {
    const data = 'é'.repeat(LIMIT / 2 - 1);

    expect(jsonBytes(data)).toBe(LIMIT);
    expect(await ownSchema(true, data)).toEqual({ data });
    expect(await ownSchema(true, `${data}é`)).toMatchObject({ code: 'payload-too-large' });
  });
});
