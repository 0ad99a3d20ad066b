import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  jwtVerify,
  type CryptoKey,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import type { Config } from '../platform/config';
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  loadOrCreateDevIssuer,
} from '../platform/dev-issuer';

/** An issuer whose tokens are accepted, for one audience. */
export interface TrustedIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly key: CryptoKey | JWTVerifyGetKey;
}

/**
 * Reads an access token.
 * @returns its claims, or null when it is no valid token: expired, unsigned, of another issuer or audience, garbage
 * @throws {IssuerUnreachable} when the keys to judge it by cannot be fetched
 */
export type TokenVerifier = (token: string) => Promise<JWTPayload | null>;

/** The issuer's keys cannot be fetched, so nothing can be said about its tokens. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable';
}

/** Signatures that need a private key. Neither `none` nor a shared secret, which whoever checks could also forge with. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

/** Verifies tokens of the given issuers; the token's own claim tells which key it must have been signed with. */
export function createTokenVerifier(trusted: readonly TrustedIssuer[]): TokenVerifier {
  return async (token) => {
    const issuer = trusted.find((candidate) => candidate.issuer === claimedIssuer(token));
    if (issuer === undefined) return null;
    const { key } = issuer;
    const options = {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
    };
    try {
      const verified =
        typeof key === 'function'
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      return verified.payload;
    } catch (error) {
      if (isVerdict(error)) return null;
      throw new IssuerUnreachable(`the keys of ${issuer.issuer} cannot be fetched`, {
        cause: error,
      });
    }
  };
}

/**
 * The issuers that a configuration trusts: the one with a JWKS address, and outside production the development issuer.
 * @throws {Error} when only a part of the issuer is configured, or nobody is trusted at all
 */
export async function trustedIssuersOf(config: Config): Promise<readonly TrustedIssuer[]> {
  const trusted: TrustedIssuer[] = [];
  const {
    COUNTERSIGN_JWT_ISSUER: issuer,
    COUNTERSIGN_JWT_AUDIENCE: audience,
    COUNTERSIGN_JWKS_URL: keys,
  } = config;
  if (issuer !== undefined && audience !== undefined && keys !== undefined) {
    trusted.push({
      issuer,
      audience,
      key: createRemoteJWKSet(new URL(keys), { timeoutDuration: 3_000 }),
    });
  } else if (issuer !== undefined || audience !== undefined || keys !== undefined) {
    throw new Error(
      'COUNTERSIGN_JWT_ISSUER, COUNTERSIGN_JWT_AUDIENCE and COUNTERSIGN_JWKS_URL are set together or not at all.',
    );
  }
  const developmentKey = config.COUNTERSIGN_DEV_ISSUER_KEY_FILE;
  if (developmentKey !== undefined && config.NODE_ENV !== 'production') {
    const { publicKey } = await loadOrCreateDevIssuer(developmentKey);
    trusted.push({ issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE, key: publicKey });
  }
  if (trusted.length === 0)
    throw new Error(
      'No token could be accepted: set COUNTERSIGN_JWT_ISSUER, COUNTERSIGN_JWT_AUDIENCE and COUNTERSIGN_JWKS_URL.',
    );
  return trusted;
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Whether the failure is about the token, and not about fetching keys. */
function isVerdict(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false;
  return !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC';
}
