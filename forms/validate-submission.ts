import type { Json } from '../domain/json';
import type { ActionDefinition } from '../domain/user-tasks/action';
import type { PinnedForm } from '../domain/user-tasks/form';
import { rejection } from '../domain/user-tasks/rejection';
import type { FormProviders } from './form-provider';
import { validateData, withinLimit, type ValidatedData } from './validate-data';

/** A submission for one action of a task. */
export interface Submission {
  readonly tenantId: string;
  /** The provider's form that the task has pinned, or null where its actions bring their own schemas. */
  readonly form: PinnedForm | null;
  readonly schema: ActionDefinition['schema'];
  readonly actionKey: string;
  readonly data: Json;
}

/**
 * Validates and normalises submitted data: by the provider of the pinned form, else by the action's own schema.
 * @throws whatever the provider throws: that it could not be asked, not that the data is wrong
 * @see UT-089..092
 */
export async function validateSubmission(
  providers: FormProviders,
  submission: Submission,
): Promise<ValidatedData> {
  const { tenantId, form, schema, actionKey, data } = submission;
  if (form === null) return validateData(schema, data);
  const provider = providers(form.requested.providerName);
  if (provider === null)
    return rejection('form-provider-missing', 'The form provider of this task is not installed.');
  const outcome = await provider.validateAndNormalize(tenantId, form, actionKey, data ?? {});
  if (!outcome.succeeded)
    return rejection('form-invalid', 'The data does not fit the form.', outcome.errors);
  return withinLimit(outcome.normalizedData);
}
