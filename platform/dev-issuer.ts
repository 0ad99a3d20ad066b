import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';

/** Issuer and audience of development tokens. */
export const DEVELOPMENT_ISSUER = 'urn:countersign:development';
export const DEVELOPMENT_AUDIENCE = 'countersign';

/** Whom a development token speaks for. */
export interface DevelopmentIdentity {
  readonly subject: string;
  readonly groups?: readonly string[];
  readonly grants?: readonly string[];
  readonly tenantId?: string;
  readonly provider?: string;
  readonly name?: string;
  /** Seconds; 12 hours unless given. Negative makes a token that has expired. */
  readonly lifetimeSeconds?: number;
}

/** Issues tokens for development and tests; the API accepts them outside production only. */
export interface DevelopmentIssuer {
  readonly publicKey: CryptoKey;
  token(identity: DevelopmentIdentity): Promise<string>;
}

/**
 * The development issuer whose private key (JWK, ES256) lies in `path`; made on the first call, mode 0600.
 * @throws {Error} when the file holds no such key
 */
export async function loadOrCreateDevIssuer(path: string): Promise<DevelopmentIssuer> {
  const jwk = await readKey(path).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT'))
      throw new Error(`${path} holds no development key.`, { cause: error });
    return createKey(path);
  });
  const { d: _private, ...publicJwk } = jwk;
  const key = (await importJWK(jwk, 'ES256')) as CryptoKey;
  const publicKey = (await importJWK(publicJwk, 'ES256')) as CryptoKey;
  return { publicKey, token: (identity) => sign(key, identity) };
}

async function readKey(path: string): Promise<JWK> {
  return JSON.parse(await readFile(path, 'utf8')) as JWK;
}

function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

async function createKey(path: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  await mkdir(dirname(path), { recursive: true });
  // `wx`: two processes that start at once must not issue with different keys; the loser reads the winner's.
  await writeFile(path, JSON.stringify(jwk), { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    },
  );
  return readKey(path);
}

function sign(key: CryptoKey, identity: DevelopmentIdentity): Promise<string> {
  const {
    subject,
    groups = [],
    grants = [],
    tenantId,
    provider,
    name,
    lifetimeSeconds = 12 * 3600,
  } = identity;
  const claims = {
    groups: [...groups],
    permissions: [...grants],
    ...(tenantId === undefined ? {} : { tenant: tenantId }),
    ...(provider === undefined ? {} : { 'elsa:identity-provider': provider }),
    ...(name === undefined ? {} : { name }),
  };
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject(subject)
    .setIssuer(DEVELOPMENT_ISSUER)
    .setAudience(DEVELOPMENT_AUDIENCE)
    .setIssuedAt(Math.min(now, now + lifetimeSeconds))
    .setExpirationTime(now + lifetimeSeconds)
    .sign(key);
}
