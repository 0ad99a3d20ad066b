import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { personOfClaims } from '../../api/claims';
import { createTokenVerifier, trustedIssuersOf } from '../../api/token-verifier';
import { readConfig } from '../../platform/config';
import { DEVELOPMENT_AUDIENCE, DEVELOPMENT_ISSUER } from '../../platform/dev-issuer';
import { clerk, WORKER_GRANTS } from '../builders/people';
import { CLAIM_NAMES, startApi, tokenFor, type Answer, type ApiUnderTest } from './start-api';

let api: ApiUnderTest;
let own: CryptoKey;
beforeAll(async () => {
  api = await startApi();
  own = (await generateKeyPair('ES256')).privateKey;
});
afterAll(() => api.close());

function withHeader(authorization: string): Promise<Answer> {
  return api.get('/user-tasks', null, { headers: { authorization } });
}

/** A token that says everything right, signed by somebody else. */
function forged(change: (token: SignJWT) => SignJWT = (token) => token): Promise<string> {
  const token = new SignJWT({ permissions: WORKER_GRANTS, tenant: 'acme' })
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('clerk')
    .setIssuer(DEVELOPMENT_ISSUER)
    .setAudience(DEVELOPMENT_AUDIENCE)
    .setExpirationTime('1h');
  return change(token).sign(own);
}

describe('tokens', () => {
  it('lets a valid token in, and tells caches to keep nothing (UT-247)', async () => {
    const answer = await withHeader(`Bearer ${await tokenFor(api.issuer, clerk)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['nothing', () => ''],
    ['another scheme', () => 'Basic Y2xlcms6c2VjcmV0'],
    ['no token', () => 'Bearer '],
    ['garbage', () => 'Bearer abc'],
    ['garbage in three parts', () => 'Bearer a.b.c'],
    ['two tokens', async () => `Bearer ${await tokenFor(api.issuer, clerk)} x`],
    [
      'an expired one',
      async () =>
        `Bearer ${await api.issuer.token({ subject: 'clerk', grants: WORKER_GRANTS, lifetimeSeconds: -10 })}`,
    ],
    [
      'one without subject',
      async () => `Bearer ${await api.issuer.token({ subject: '', grants: WORKER_GRANTS })}`,
    ],
    ['one signed by somebody else', async () => `Bearer ${await forged()}`],
    [
      'one of an unknown issuer',
      async () => `Bearer ${await forged((token) => token.setIssuer('urn:other'))}`,
    ],
    [
      'an unsigned one',
      () =>
        `Bearer ${new UnsecuredJWT({ permissions: WORKER_GRANTS }).setSubject('clerk').setIssuer(DEVELOPMENT_ISSUER).setAudience(DEVELOPMENT_AUDIENCE).setExpirationTime('1h').encode()}`,
    ],
    [
      'a tenant that is too long',
      async () =>
        `Bearer ${await api.issuer.token({ subject: 'clerk', tenantId: 't'.repeat(451), grants: WORKER_GRANTS })}`,
    ],
    [
      'a subject that cannot be stored',
      async () =>
        `Bearer ${await api.issuer.token({ subject: 'a\u0000b', grants: WORKER_GRANTS })}`,
    ],
    [
      'a subject that is too long',
      async () =>
        `Bearer ${await api.issuer.token({ subject: 's'.repeat(451), grants: WORKER_GRANTS })}`,
    ],
  ])(
    'answers %s with 401 and the same body (UT-054, UT-062, UT-213, UT-220)',
    async (_name, authorization) => {
      const { status, headers, body } = await withHeader(await authorization());
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toEqual({
        type: '/problems/unauthenticated',
        title: 'Authentication is required',
        status: 401,
        detail: 'A valid access token is required.',
        message: 'A valid access token is required.',
        instance: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/) as string,
        code: 'unauthenticated',
      });
    },
  );

  it.each([
    '/user-tasks/capabilities',
    '/user-tasks/task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55',
    '/user-tasks/x/events',
    '/user-tasks/x/operations/y',
  ])('asks for a token before anything else at %s (UT-213)', async (path) => {
    expect((await api.get(path, null)).status).toBe(401);
  });
});

describe('issuers', () => {
  let keys: Server;
  let privateKey: CryptoKey;
  let url: string;
  beforeAll(async () => {
    const pair = await generateKeyPair('RS256');
    privateKey = pair.privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256' };
    keys = createServer((_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
    ).listen(0);
    await once(keys, 'listening');
    url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    keys.close();
    await once(keys, 'close');
  });

  const settings = (changes: Record<string, string>): ReturnType<typeof readConfig> =>
    readConfig({
      DATABASE_URL: 'postgresql://unused',
      COUNTERSIGN_KEY_FILE: 'unused',
      COUNTERSIGN_JWT_ISSUER: 'https://issuer.example',
      COUNTERSIGN_JWT_AUDIENCE: 'countersign',
      COUNTERSIGN_JWKS_URL: url,
      ...changes,
    });
  const token = (audience: string, algorithm = 'RS256'): Promise<string> =>
    new SignJWT({})
      .setProtectedHeader({ alg: algorithm, kid: 'k1' })
      .setSubject('clerk')
      .setIssuer('https://issuer.example')
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(privateKey);

  it('accepts tokens of the configured issuer and audience by its published keys, and no others (UT-053)', async () => {
    const verify = createTokenVerifier(await trustedIssuersOf(settings({})));
    expect(await verify(await token('countersign'))).toMatchObject({ sub: 'clerk' });
    expect(await verify(await token('another'))).toBeNull();
    expect(await verify((await token('countersign')).slice(0, -4))).toBeNull();
    const eternal = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setSubject('clerk')
      .setIssuer('https://issuer.example')
      .setAudience('countersign')
      .sign(privateKey);
    expect(await verify(eternal)).toBeNull();
  });

  it('says that it cannot tell, and not that the token is wrong, while the keys cannot be fetched (UT-220)', async () => {
    const verify = createTokenVerifier(
      await trustedIssuersOf(settings({ COUNTERSIGN_JWKS_URL: 'http://127.0.0.1:1/' })),
    );
    const other = await startApi({ verifyToken: verify });
    const answer = await other.get('/user-tasks', null, {
      headers: { authorization: `Bearer ${await token('countersign')}` },
    });
    await other.close();
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('trusts no development token in production', async () => {
    const trusted = await trustedIssuersOf(
      settings({ NODE_ENV: 'production', COUNTERSIGN_DEV_ISSUER_KEY_FILE: '/nonexistent/key' }),
    );
    expect(trusted.map(({ issuer }) => issuer)).toEqual(['https://issuer.example']);
  });

  it('refuses half a configuration, and none', async () => {
    await expect(trustedIssuersOf(settings({ COUNTERSIGN_JWT_AUDIENCE: '' }))).rejects.toThrow(
      'together or not at all',
    );
    const none = settings({
      COUNTERSIGN_JWT_ISSUER: '',
      COUNTERSIGN_JWT_AUDIENCE: '',
      COUNTERSIGN_JWKS_URL: '',
    });
    await expect(trustedIssuersOf(none)).rejects.toThrow('No token could be accepted');
  });
});

describe('claims', () => {
  const claims = {
    sub: 'Clerk 7',
    tenant: 'acme',
    'elsa:identity-provider': 'directory',
    name: 'Clerk Seven',
  };

  it('maps subject, tenant, provider and name, with defaults (UT-053, UT-293)', () => {
    const person = personOfClaims(claims, CLAIM_NAMES);
    expect(person?.subject).toEqual({
      tenantId: 'acme',
      provider: 'directory',
      type: 'user',
      id: 'Clerk 7',
      displayName: 'Clerk Seven',
    });
    expect(personOfClaims({ sub: 'a' }, CLAIM_NAMES)?.subject).toEqual({
      tenantId: '',
      provider: 'default',
      type: 'user',
      id: 'a',
      displayName: null,
    });
    const nameIdentifier = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier';
    expect(personOfClaims({ [nameIdentifier]: 'b' }, CLAIM_NAMES)?.subject.id).toBe('b');
  });

  it('takes other claim names from the configuration (UT-053)', () => {
    const names = {
      ...CLAIM_NAMES,
      subject: 'uid',
      tenant: 'org',
      groups: ['roles'],
      permissions: ['rights'],
      defaultTenant: 'home',
    };
    const person = personOfClaims(
      { sub: 'ignored', uid: 'u1', roles: ['r1'], groups: ['ignored'], rights: 'user-tasks:view' },
      names,
    );
    expect(person).toMatchObject({
      subject: { id: 'u1', tenantId: 'home' },
      groups: [{ id: 'r1' }],
      grants: ['user-tasks:view'],
    });
  });

  it('keeps group values as they are, drops blank ones and repetitions, and gives them tenant and provider (UT-054, UT-055, UT-056, UT-293)', () => {
    const groups = ['group,with;delimiters', 'finance', ' ', '', 'finance', 'Finance', ' padded '];
    const person = personOfClaims({ ...claims, groups, group: 'single/one|two' }, CLAIM_NAMES);
    expect(person?.groups.map(({ id }) => id)).toEqual([
      'group,with;delimiters',
      'finance',
      'Finance',
      ' padded ',
      'single/one|two',
    ]);
    expect(
      person?.groups.every(
        ({ tenantId, provider, type }) =>
          tenantId === 'acme' && provider === 'directory' && type === 'group',
      ),
    ).toBe(true);
  });

  it('leaves out groups and grants that are no text or could never be stored (UT-062)', () => {
    const person = personOfClaims(
      {
        ...claims,
        groups: [7, null, 'x'.repeat(451), 'a\u0000', 'ok'],
        permissions: [{ all: true }, 'user-tasks:view'],
      },
      CLAIM_NAMES,
    );
    expect(person?.groups.map(({ id }) => id)).toEqual(['ok']);
    expect(person?.grants).toEqual(['user-tasks:view']);
  });

  it.each([
    {},
    { sub: '' },
    { sub: '  ' },
    { sub: 7 },
    { sub: 'a', tenant: 5 },
    { sub: 'a', 'elsa:identity-provider': '' },
    { sub: 'a', tenant: '\ud800' },
  ])('names nobody by %j (UT-054, UT-062)', (wrong) => {
    expect(personOfClaims(wrong as never, CLAIM_NAMES)).toBeNull();
  });
});
