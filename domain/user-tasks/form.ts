import { canonicalJson, isJson, isRecord, isStorableText, jsonBytes, type Json } from '../json';
import { MAXIMUM_PAYLOAD_BYTES } from './limits';

/** A provider-neutral pointer to a form: which provider, which form, which of its versions. @see UT-014 */
export interface FormReference {
  readonly providerName: string;
  readonly key: string;
  /** How the provider is to choose a version, for example `latest` or `version:3`; null for its default. */
  readonly binding: string | null;
  readonly version: string | null;
}

/** Shape and flags of one field, never its value. @see UT-085 */
export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  /** Its value is hidden, and shown only one at a time by an audited reveal, if at all. */
  readonly masked: boolean;
  readonly canReveal: boolean;
}

/** A form with its version fixed, for the whole life of the task. @see UT-085, UT-086 */
export interface PinnedForm {
  readonly requested: FormReference;
  readonly pinnedVersion: string;
  /** The provider's own; private. */
  readonly metadata: Json;
  readonly fields: readonly FormField[];
}

/** Why a form could not be pinned. @see UT-087 */
export type FormFailure = 'form-provider-missing' | 'form-resolution-failed';

/** Longest parts of a form reference, in characters. */
const LIMITS = { providerName: 200, key: 450, binding: 200, version: 200 } as const;

/** `value` as a form reference, or what is wrong with it. */
export function parseFormReference(value: unknown): FormReference | string {
  if (!isRecord(value)) return 'must be { providerName, key, binding?, version? }';
  const { providerName, key, binding = null, version = null } = value;
  const parts = { providerName, key, binding: binding ?? undefined, version: version ?? undefined };
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined && (name === 'binding' || name === 'version')) continue;
    if (typeof part !== 'string' || part.trim() === '') return `${name} must be a non-empty string`;
    const limit = LIMITS[name as keyof typeof LIMITS];
    if (part.length > limit || !isStorableText(part))
      return `${name} must not exceed ${limit} characters`;
  }
  return {
    providerName: providerName as string,
    key: key as string,
    binding: binding as string | null,
    version: version as string | null,
  };
}

/**
 * Whether a provider's answer to `asked` is a pinned form that may be kept: this form and no other, of its shape, and
 * within the payload limit.
 * @see UT-088, UT-393
 */
export function isPinnedForm(value: unknown, asked: FormReference): value is PinnedForm {
  if (
    !isRecord(value) ||
    typeof value['pinnedVersion'] !== 'string' ||
    !Array.isArray(value['fields'])
  )
    return false;
  if (canonicalJson(value['requested']) !== canonicalJson(asked)) return false;
  return (
    isJson(value) && jsonBytes(value) <= MAXIMUM_PAYLOAD_BYTES && value['fields'].every(isField)
  );
}

function isField(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, label, type, required, masked, canReveal } = value;
  return (
    [key, label, type].every((text) => typeof text === 'string') &&
    [required, masked, canReveal].every((flag) => typeof flag === 'boolean')
  );
}
