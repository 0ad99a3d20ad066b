import type { Json } from '../domain/json';
import type { FormReference, PinnedForm } from '../domain/user-tasks/form';
import type { FieldError } from '../domain/user-tasks/rejection';

/** What a provider made of submitted data. Field errors point into `data` and never repeat a value. */
export type FormSubmission =
  | { readonly succeeded: true; readonly normalizedData: Json }
  | { readonly succeeded: false; readonly errors: readonly FieldError[] };

/**
 * Where forms come from. A provider may call other systems: it is asked from activities and, to validate a submission,
 * by the sender of the command. What it throws counts as a failure that may pass.
 * @see UT-084
 */
export interface FormProvider {
  /** Compared whatever the letter case. */
  readonly name: string;
  /** The form with its version fixed, or null when there is none. Called at activation and at repair. */
  resolve(tenantId: string, reference: FormReference): Promise<PinnedForm | null>;
  /** Validates data for one action of a pinned form; missing data comes as `{}`. */
  validateAndNormalize(
    tenantId: string,
    form: PinnedForm,
    actionKey: string,
    data: Json,
  ): Promise<FormSubmission>;
}

/** Finds a provider by its name, or null. @see UT-084 */
export type FormProviders = (name: string) => FormProvider | null;

/**
 * The providers of a process; of two with one name the later counts. What a provider throws is thrown on without its
 * text, which may quote what was submitted or what the provider keeps for itself: failures are logged.
 */
export function formProviders(providers: readonly FormProvider[]): FormProviders {
  const byName = new Map(
    providers.map((provider) => [provider.name.toLowerCase(), discreet(provider)]),
  );
  return (name) => byName.get(name.toLowerCase()) ?? null;
}

/** A form provider could not answer. @see UT-047 */
class FormProviderFailed extends Error {
  override readonly name = 'FormProviderFailed';
}

function discreet(provider: FormProvider): FormProvider {
  const call = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      throw new FormProviderFailed(`The form provider ${provider.name} failed (${kind}).`);
    }
  };
  return {
    name: provider.name,
    resolve: (...asked) => call(() => provider.resolve(...asked)),
    validateAndNormalize: (...asked) => call(() => provider.validateAndNormalize(...asked)),
  };
}
