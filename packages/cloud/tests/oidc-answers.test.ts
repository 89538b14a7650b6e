/** Tests that wrong answers of an OpenID Connect provider sign nobody in. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { configFrom } from '../src/index.ts';
import { testCloud } from './cloud.fixture.ts';
import { listening, oidcEnv } from './oidc-provider.fixture.ts';
import { newPage } from './page.fixture.ts';

/** How the provider's answers differ from correct answers. */
interface Answers {
  readonly claims?: JWTPayload;
  /** Whether a key that the provider does not publish signs the ID token. */
  readonly isForged?: boolean;
  readonly hasNoIdToken?: boolean;
  /** The answer of its userinfo endpoint. If undefined, the ID token contains everything. */
  readonly userInfo?: (response: ServerResponse) => void;
  /** Fields that replace those in the provider's metadata. */
  readonly metadata?: object;
  /** Whether the server admits no new users. */
  readonly isClosed?: boolean;
  /** Changes the redirect back to the server's callback. */
  readonly back?: (query: URLSearchParams) => void;
}

const ACCESS_TOKEN = 'access-token-of-the-provider';

async function open(answers: Answers = {}) {
  const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  let issuer = '';
  let asked = new URLSearchParams();
  const idToken = () => {
    const now = Math.floor(Date.now() / 1000);
    const { email, ...rest } = { email: 'ada@example.com', email_verified: true, name: 'Ada' };
    return new SignJWT({
      iss: issuer,
      aud: 'fixpoint',
      sub: 'ada',
      exp: now + 60,
      nonce: asked.get('nonce') ?? '',
      ...rest,
      ...(answers.userInfo === undefined && { email }),
      ...answers.claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt(now)
      .sign((answers.isForged === true ? foreign : own).privateKey);
  };
  const json = (response: ServerResponse, body: object) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    switch (new URL(request.url ?? '', issuer).pathname) {
      case '/.well-known/openid-configuration':
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/me`,
          id_token_signing_alg_values_supported: ['RS256'],
          ...answers.metadata,
        });
      case '/keys':
        return json(response, { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256' }] });
      case '/token':
        return json(response, {
          access_token: ACCESS_TOKEN,
          token_type: 'Bearer',
          ...(answers.hasNoIdToken !== true && { id_token: await idToken() }),
        });
      case '/me':
        expect(request.headers.authorization).toBe(`Bearer ${ACCESS_TOKEN}`);
        return answers.userInfo?.(response);
      default:
        return response.writeHead(404).end();
    }
  };
  issuer = await listening(createServer((request, response) => void answer(request, response)));
  const signUp = answers.isClosed === true ? 'closed' : 'open';
  const cloud = await testCloud({ identity: configFrom(oidcEnv(issuer)).identity, signUp });
  const page = newPage(cloud.url);
  const { status, body } = await page.post('/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/fp/cloud',
    errorCallbackURL: '/login',
  });
  if (status !== 200) return { cloud, page, asked, status, led: '' };
  asked = new URL(body.url).searchParams;
  const query = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '' });
  answers.back?.(query);
  const { headers } = await page.get(`/auth/callback/oidc?${query}`);
  return { cloud, page, asked, status, led: headers.get('location') ?? '' };
}

test('[S4] rejects a provider whose metadata contains another issuer', async () => {
  for (const issuer of ['https://evil.example', '', undefined])
    expect((await open({ metadata: { issuer } })).status).toBe(502);
});

const meAs = (body: object) => (response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

describe('an answer of the provider', () => {
  test('[S4] signs in with a correct ID token, or with userinfo of the same subject, and stores no tokens', async () => {
    for (const answers of [{}, { userInfo: meAs({ sub: 'ada', email: 'ada@example.com' }) }]) {
      const { cloud, page, asked, led } = await open(answers);
      expect(led).toMatch(/\/fp\/cloud$/);
      expect((await page.get('/auth/get-session')).body.user).toMatchObject({
        email: 'ada@example.com',
        emailVerified: true,
        name: 'Ada',
      });
      for (const needed of ['state', 'nonce', 'code_challenge'])
        expect((asked.get(needed) ?? '').length, needed).toBeGreaterThan(20);
      const stored = JSON.stringify((await sql`select * from account`.execute(cloud.db)).rows);
      expect(stored).toContain('"ada"');
      for (const secret of [ACCESS_TOKEN, 'eyJ']) expect(stored).not.toContain(secret);
    }
  });

  const past = Math.floor(Date.now() / 1000) - 3600;
  test.each<[string, Answers]>([
    ['an ID token with another nonce', { claims: { nonce: 'another' } }],
    ['an ID token for somebody else', { claims: { aud: 'another-client' } }],
    ['an ID token of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['an ID token that has expired', { claims: { exp: past } }],
    ['an ID token that an unpublished key signed', { isForged: true }],
    ['no ID token', { hasNoIdToken: true }],
    ['no address', { userInfo: meAs({ sub: 'ada' }) }],
    ['the address of another subject', { userInfo: meAs({ sub: 'eve', email: 'ada@example.com' }) }],
    [
      'a redirect instead of the address',
      { userInfo: (response) => void response.writeHead(302, { location: '/.well-known/x' }).end() },
    ],
    ['a new user while sign-up is closed', { isClosed: true }],
    ['another state', { back: (query) => query.set('state', 'x'.repeat(32)) }],
    ['another issuer next to the code', { back: (query) => query.set('iss', 'https://evil.example') }],
  ])('[S4] signs nobody in if it contains %s', async (_, answers) => {
    const { cloud, page, led } = await open(answers);
    expect(led).toMatch(/error=/);
    expect(led.startsWith('https://evil')).toBe(false);
    expect((await page.get('/auth/get-session')).body).toBeNull();
    expect((await sql`select id from "user"`.execute(cloud.db)).rows).toEqual([]);
  });
});
