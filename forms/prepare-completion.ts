import type { ActionDefinition } from '../domain/user-tasks/action';
import type { CompleteCommand } from '../domain/user-tasks/commands';
import { refuseSubmission } from '../domain/user-tasks/decide/complete';
import { hashesOf } from '../domain/user-tasks/decide/decide';
import { isRejection } from '../domain/user-tasks/definition';
import type { PinnedForm } from '../domain/user-tasks/form';
import type { Rejection } from '../domain/user-tasks/rejection';
import type { FormProviders } from './form-provider';
import { validateSubmission } from './validate-submission';

/** A completion that its sender did not prepare, with what the task says about its data. */
export interface UnpreparedCompletion {
  readonly tenantId: string;
  readonly command: CompleteCommand;
  readonly form: PinnedForm | null;
  readonly schema: ActionDefinition['schema'];
}

/**
 * Validates and normalises the data of a completion; the command that comes back is ready to be decided.
 * @throws whatever the form's provider throws when it cannot be asked
 * @see UT-392, UT-402
 */
export async function prepareCompletion(
  forms: FormProviders,
  { tenantId, command, form, schema }: UnpreparedCompletion,
): Promise<CompleteCommand | Rejection> {
  const { actionKey, data } = command;
  const actions = [{ key: actionKey, label: actionKey, metadata: null, schema }];
  const rules = { actions, formReference: form?.requested ?? null, form };
  const refusal = refuseSubmission(rules, actionKey, data);
  if (refusal !== null) return refusal;
  const validated = await validateSubmission(forms, { tenantId, form, schema, actionKey, data });
  if (isRejection(validated)) return validated;
  return { ...command, data: validated.data, receivedHash: hashesOf(command).requestHash };
}
