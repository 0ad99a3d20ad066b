import { z } from 'zod';
import type { Json } from '../../domain/json';
import type { FormField } from '../../domain/user-tasks/form';
import type { FormProvider, FormSubmission } from '../../forms/form-provider';

interface AcmeForm {
  readonly newest: number;
  readonly fields: readonly FormField[];
  readonly actions: Readonly<Record<string, z.ZodType>>;
}

const field = (key: string, more: Partial<FormField> = {}): FormField => ({
  key,
  label: `Label of ${key}`,
  type: 'text',
  required: false,
  masked: false,
  canReveal: false,
  ...more,
});

const FORMS: Readonly<Record<string, AcmeForm>> = {
  'invoice-review': {
    newest: 3,
    fields: [
      field('purchaseOrder', { required: true }),
      field('approvedAmount'),
      field('supplier'),
    ],
    actions: {
      approved: z.strictObject({
        purchaseOrder: z.string().trim().min(1),
        approvedAmount: z.number().min(0),
        currency: z.string().default('EUR'),
      }),
      rejected: z.strictObject({ remark: z.string().default('') }),
    },
  },
  payment: {
    newest: 1,
    fields: [
      field('note'),
      field('iban', { masked: true, canReveal: true }),
      field('pin', { masked: true }),
    ],
    actions: {
      approved: z.looseObject({ iban: z.string().optional() }),
      rejected: z.strictObject({}),
    },
  },
};

/** Form provider of a host: forms by key, in versions, each action with rules of its own. */
export function acmeForms(metadata: Json = { template: 'A4' }): FormProvider {
  return {
    name: 'acme-forms',
    resolve: (_tenantId, requested) => {
      const form = FORMS[requested.key];
      const version = requested.binding?.replace('version:', '') ?? String(form?.newest);
      if (form === undefined || Number(version) > form.newest) return Promise.resolve(null);
      return Promise.resolve({ requested, pinnedVersion: version, metadata, fields: form.fields });
    },
    validateAndNormalize: (_tenantId, form, actionKey, data) => {
      const rules = FORMS[form.requested.key]?.actions[actionKey] ?? z.never();
      return Promise.resolve(submissionOf(rules.safeParse(data)));
    },
  };
}

function submissionOf(parsed: z.ZodSafeParseResult<unknown>): FormSubmission {
  if (parsed.success) return { succeeded: true, normalizedData: parsed.data as Json };
  const errors = parsed.error.issues.map(({ path, code }) => ({
    pointer: ['/data', ...path.map(String)].join('/'),
    detail: code,
  }));
  return { succeeded: false, errors };
}
