import type { JWTPayload } from 'jose';
import { isStorableText } from '../domain/json';
import type { Person } from '../domain/user-tasks/actor';
import {
  distinctParticipants,
  PARTICIPANT_LIMITS,
  parseParticipant,
} from '../domain/user-tasks/participant';
import type { Config } from '../platform/config';

/** Which claims say who somebody is, and what holds where a token says nothing. @see UT-053 */
export interface ClaimNames {
  readonly subject: string;
  readonly tenant: string;
  readonly provider: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly permissions: readonly string[];
  readonly defaultTenant: string;
  readonly defaultProvider: string;
}

/** The claim names of a configuration. */
export function claimNamesOf(config: Config): ClaimNames {
  return {
    subject: config.COUNTERSIGN_CLAIM_SUBJECT,
    tenant: config.COUNTERSIGN_CLAIM_TENANT,
    provider: config.COUNTERSIGN_CLAIM_PROVIDER,
    name: config.COUNTERSIGN_CLAIM_NAME,
    groups: listed(config.COUNTERSIGN_CLAIM_GROUPS),
    permissions: listed(config.COUNTERSIGN_CLAIM_PERMISSIONS),
    defaultTenant: config.COUNTERSIGN_DEFAULT_TENANT,
    defaultProvider: config.COUNTERSIGN_DEFAULT_PROVIDER,
  };
}

function listed(names: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Where identity providers of the .NET world put the subject. */
const NAME_IDENTIFIER = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier';

/**
 * The person that verified claims speak of, or null when they name nobody: no subject, or a subject, tenant or provider
 * that could never be stored.
 *
 * Groups inherit tenant and provider. Their values are kept as they are, whatever separators they hold; blank ones and
 * those that could never be stored, hence never be a candidate, are left out.
 * @see UT-053..057
 */
export function personOfClaims(claims: JWTPayload, names: ClaimNames): Person | null {
  const id = claims[names.subject] ?? claims[NAME_IDENTIFIER];
  const tenantId = claims[names.tenant] ?? names.defaultTenant;
  const provider = claims[names.provider] ?? names.defaultProvider;
  const subject = parseParticipant({
    tenantId,
    provider,
    type: 'user',
    id,
    displayName: displayName(claims, names),
  });
  if (typeof subject === 'string' || subject.id.trim() === '') return null;
  const groups = texts(claims, names.groups)
    .filter((group) => group.trim() !== '')
    .map((group) => parseParticipant({ ...subject, type: 'group', id: group, displayName: null }))
    .filter((group) => typeof group !== 'string');
  return {
    kind: 'person',
    subject,
    groups: distinctParticipants(groups),
    grants: [...new Set(texts(claims, names.permissions))],
  };
}

/** A label: one that cannot be stored is no reason to turn its bearer away. */
function displayName(claims: JWTPayload, names: ClaimNames): string | null {
  const name = claims[names.name] ?? claims['preferred_username'];
  if (typeof name !== 'string' || name.trim() === '') return null;
  return name.length <= PARTICIPANT_LIMITS.displayName && isStorableText(name) ? name : null;
}

/** All texts in these claims, each a text or a list of texts. */
function texts(claims: JWTPayload, names: readonly string[]): readonly string[] {
  return names
    .flatMap((name) => claims[name])
    .filter((value): value is string => typeof value === 'string');
}
