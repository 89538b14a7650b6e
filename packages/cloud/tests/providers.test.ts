import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { configFrom } from '../src/index.ts';
import { putJson, temporaryFolder, testCloud } from './cloud.fixture.ts';
import { listening, oidcEnv, oidcProvider } from './oidc-provider.fixture.ts';
import { mailedLink, newPage } from './page.fixture.ts';
import { cookiesOf, identityToken, newPerson } from './person.fixture.ts';

/** Starts a fake Clerk host, which signs tokens for any person, and whose keys can be replaced. */
async function fakeClerk() {
  const keys = [await generateKeyPair('RS256', { extractable: true })];
  const asked = { keys: 0 };
  const server = createServer(async (_request, response) => {
    asked.keys += 1;
    const published = await Promise.all(
      keys.map(async ({ publicKey }, index) => ({
        ...(await exportJWK(publicKey)),
        kid: `k${index}`,
        alg: 'RS256',
        use: 'sig',
      })),
    );
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }));
  });
  const issuer = await listening(server);
  const env = {
    AUTH: 'clerk',
    CLERK_PUBLISHABLE_KEY: `pk_live_${btoa(`${new URL(issuer).host}$`)}`,
    CLERK_ISSUER: issuer,
    CLERK_JWKS_URL: `${issuer}/.well-known/jwks.json`,
  };
  const sign = async (claims: object, { key = 0, issuer: from = issuer, seconds = 60 } = {}) => {
    const pair = keys[key];
    if (pair === undefined) throw new Error('no key');
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: `k${key}` })
      .setIssuer(from)
      .setSubject('user_1')
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(pair.privateKey);
  };
  const turn = async () => void keys.push(await generateKeyPair('RS256', { extractable: true }));
  return { env, sign, asked, turn };
}

const ada = {
  email: 'Ada@Example.com',
  email_verified: true,
  first: 'Ada',
  last: 'Lovelace',
  image_url: 'https://img.example/a.png',
};

describe('sign-in by Clerk', () => {
  async function open(env: Record<string, string> = {}) {
    const clerk = await fakeClerk();
    const data = await temporaryFolder();
    const { identity } = configFrom({ ...clerk.env, ...env });
    const cloud = await testCloud({ data, identity });
    const ensure = (token: string, type = 'clerk') =>
      putJson(`${cloud.url}/api`, { type: 'reqEnsureUser', auth: { type, token } });
    return { ...clerk, cloud, ensure, azp: cloud.url };
  }

  test('accepts a token whose claims about the person are in params or at the top level', async () => {
    const { sign, ensure, azp, asked } = await open();
    const { status, body } = await ensure(await sign({ azp, userId: 'user_1', params: ada }));
    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      status: 'active',
      byProviders: [
        {
          queryProvider: 'clerk',
          queryEmail: 'ada@example.com',
          params: { email_verified: true, name: 'Ada Lovelace', image_url: ada.image_url },
        },
      ],
    });
    const plain = await ensure(await sign({ azp, ...ada }));
    expect(plain.body.user.userId).toBe(body.user.userId);
    expect(asked.keys).toBe(1);
  });

  test('[S1] rejects tokens of another party, issuer, key or type, expired tokens, and tokens without an address', async () => {
    const { sign, ensure, azp } = await open();
    const other = await fakeClerk();
    const tokens = [
      await sign({ ...ada }),
      await sign({ azp: 'https://evil.example', ...ada }),
      await sign({ azp, ...ada }, { issuer: 'https://evil.example' }),
      await sign({ azp, ...ada }, { seconds: -60 }),
      await sign({ azp }),
      await other.sign({ azp, ...ada }, {}),
      'x',
    ];
    for (const token of tokens) expect((await ensure(token)).status).toBe(401);
    expect((await ensure(await sign({ azp, ...ada }), 'fixpoint')).status).toBe(401);
  });

  test('treats an organisation as a tenant only when the operator enables it', async () => {
    const claims = { org_id: 'org_1', org_slug: 'acme', org_role: 'org:admin', params: ada };
    const without = await open();
    expect((await without.ensure(await without.sign({ azp: without.azp, ...claims }))).body.tenants).toEqual(
      [],
    );
    const { sign, ensure, azp } = await open({ ORGANIZATIONS: 'tenants' });
    const { body } = await ensure(await sign({ azp, ...claims }));
    expect(body.tenants).toMatchObject([{ role: 'admin', tenant: { name: 'acme' } }]);
  });

  test("[S12] lets pages load scripts only from Clerk's host, or from the proxy in front of it", async () => {
    const consoleDir = await temporaryFolder();
    await writeFile(join(consoleDir, 'index.html'), '<html>');
    const policyWith = async (more: Record<string, string>) => {
      const key = `pk_live_${btoa('clerk.example.com$')}`;
      const { identity } = configFrom({ AUTH: 'clerk', CLERK_PUBLISHABLE_KEY: key, ...more });
      const { url } = await testCloud({ identity, consoleDir });
      const policy = (await fetch(`${url}/login`)).headers.get('content-security-policy') ?? '';
      const own = `'self' ${url.replace('http', 'ws')}`;
      return policy
        .split('; ')
        .filter((part) => /^(script|connect)-src/.test(part))
        .map((part) => part.replace(own, 'OWN'));
    };
    const scripts = "script-src 'self' 'wasm-unsafe-eval'";
    expect(await policyWith({})).toEqual([
      `${scripts} https://clerk.example.com`,
      'connect-src OWN https://clerk.example.com',
    ]);
    expect(await policyWith({ CLERK_PROXY_URL: 'https://app.example/clerk' })).toEqual([
      `${scripts} https://app.example`,
      'connect-src OWN https://app.example',
    ]);
    expect(await policyWith({ CLERK_PROXY_URL: '/__clerk' })).toEqual([scripts, 'connect-src OWN']);
  });

  test('announces Clerk to the console, and disables passwords of this server', async () => {
    const { cloud, env } = await open();
    const told = await (await fetch(`${cloud.url}/.well-known/fixpoint.json`)).json();
    expect(told).toMatchObject({
      auth: 'clerk',
      signIn: { kind: 'clerk', publishableKey: env.CLERK_PUBLISHABLE_KEY, template: 'with-email' },
    });
    expect(JSON.stringify(told)).not.toContain('jwks');
    const signUp = await fetch(`${cloud.url}/auth/sign-up/email`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(signUp.status).toBe(404);
  });
});

/**
 * Creates a browser that keeps the cookies of several servers, and returns the target of each
 * redirect.
 */
function browser() {
  const jars = new Map<string, Map<string, string>>();
  return async (url: string, init: RequestInit = {}) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, ...(cookie && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      response,
      cookie: () => [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      next: location && new URL(location, url).href,
    };
  };
}

describe('sign-in by OpenID Connect', () => {
  /** Opens a loopback provider that signs in anyone under the name that they type. */
  async function open(emailVerified = true, more: Record<string, string> = {}) {
    let handle: ReturnType<typeof oidcProvider> | undefined;
    const server = createServer((request, response) => {
      if (handle === undefined) response.writeHead(503).end();
      else void handle(request, response);
    });
    const issuer = await listening(server);
    const cloud = await testCloud({ identity: configFrom({ ...oidcEnv(issuer), ...more }).identity });
    const begin = () => {
      handle = oidcProvider(issuer, cloud.url, emailVerified);
    };
    const start = async (go: ReturnType<typeof browser>, callbackURL = '/fp/cloud', sent: object = {}) => {
      const { response } = await go(`${cloud.url}/auth/sign-in/social`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: cloud.url },
        body: JSON.stringify({ provider: 'oidc', callbackURL, errorCallbackURL: '/login', ...sent }),
      });
      return {
        status: response.status,
        url: response.ok ? String(((await response.json()) as { url: string }).url) : '',
      };
    };
    return { cloud, begin, start };
  }

  /**
   * Follows the pages of the provider until it redirects to the server. Returns the URL of that
   * redirect.
   */
  async function signInAt(go: ReturnType<typeof browser>, first: string, name: string): Promise<string> {
    let url: string | null = first;
    for (let step = 0; step < 12 && url !== null; step += 1) {
      if (url.includes('/auth/callback/oidc')) return url;
      const { response, next } = await go(url);
      if (next) {
        url = next;
        continue;
      }
      const page = await response.text();
      const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
      const form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: name, password: 'x' }) });
      url = (await go(new URL(action, url).href, { method: 'POST', body: form })).next;
    }
    throw new Error(`the provider led to ${url}`);
  }

  test('signs in through a provider that was down when the server started', async () => {
    const { cloud, begin, start } = await open();
    const go = browser();
    expect((await start(go)).status).toBe(502);
    begin();
    const { url } = await start(go);
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256');
    const back = await signInAt(go, url, 'ada');
    const { next, cookie } = await go(back);
    expect(next).toBe(`${cloud.url}/fp/cloud`);
    const token = await identityToken(cloud.url, cookie());
    const { status, body } = await putJson(`${cloud.url}/api`, {
      type: 'reqEnsureUser',
      auth: { type: 'fixpoint', token },
    });
    expect(status).toBe(200);
    expect(body.user.byProviders[0]).toMatchObject({
      queryEmail: 'ada@example.com',
      params: { email_verified: true },
    });
    // A replay of the provider's answer, also from another browser, signs nobody in.
    for (const other of [go, browser()]) {
      const replayed = await other(back);
      expect(replayed.next).not.toBe(`${cloud.url}/fp/cloud`);
    }
  });

  test('treats organisations of the provider as tenants when the operator enables it', async () => {
    const { cloud, begin, start } = await open(true, { ORGANIZATIONS: 'tenants' });
    begin();
    const tenantsOf = async (name: string) => {
      const go = browser();
      const { next, cookie } = await go(await signInAt(go, (await start(go)).url, name));
      expect(next).toBe(`${cloud.url}/fp/cloud`);
      const auth = { type: 'fixpoint', token: await identityToken(cloud.url, cookie()) };
      return (await putJson(`${cloud.url}/api`, { type: 'reqEnsureUser', auth })).body.tenants;
    };
    const [made] = await tenantsOf('ada');
    expect(made).toMatchObject({ role: 'admin', tenant: { name: 'Acme' } });
    expect(await tenantsOf('bob')).toMatchObject([{ tenantId: made.tenantId, role: 'member' }]);
    expect(await tenantsOf('ada')).toHaveLength(1);
  });

  test('[2.4] validates choices that a user made before the redirect, and stores them with a new account', async () => {
    const { cloud, begin, start } = await open();
    begin();
    const comeAs = async (name: string, additionalData: object) => {
      const go = browser();
      const { url } = await start(go, '/fp/cloud', { additionalData });
      expect((await go(await signInAt(go, url, name))).next).toBe(`${cloud.url}/fp/cloud`);
    };
    await comeAs('ada', { emailOptIn: true, adClickId: 'click-7' });
    await comeAs('ada', { emailOptIn: false, adClickId: 'another' });
    const wrong = { emailOptIn: 'yes', adClickId: 7, emailVerified: true, email: 'eve@example.com', id: 'x' };
    await comeAs('bob', wrong);
    await comeAs('max', { adClickId: 'x'.repeat(2000) });
    const { rows } = await sql<Record<string, unknown>>`
      select email, "emailOptIn", "adClickId" from "user" order by email`.execute(cloud.db);
    expect(rows.map((row) => ({ ...row, emailOptIn: row['emailOptIn'] && true }))).toEqual([
      { email: 'ada@example.com', emailOptIn: true, adClickId: 'click-7' },
      { email: 'bob@example.com', emailOptIn: null, adClickId: null },
      { email: 'max@example.com', emailOptIn: null, adClickId: 'x'.repeat(512) },
    ]);
  });

  describe('with passwords enabled too', () => {
    const beside = { AUTH: 'builtin', OIDC_NAME: 'Acme' };

    test('announces both sign-in methods to the console, and signs in with both', async () => {
      const { cloud, begin, start } = await open(true, beside);
      begin();
      const told = await (await fetch(`${cloud.url}/.well-known/fixpoint.json`)).json();
      expect(told).toMatchObject({
        auth: 'fixpoint',
        signIn: { kind: 'builtin', passkeys: true, provider: { name: 'Acme' } },
      });
      await newPerson(cloud.url, 'eve');
      const go = browser();
      const { next, cookie } = await go(await signInAt(go, (await start(go)).url, 'ada'));
      expect(next).toBe(`${cloud.url}/fp/cloud`);
      expect(await identityToken(cloud.url, cookie())).toBeDefined();
    });

    test('[S1] links no accounts with the same address, whichever sign-in method came first', async () => {
      const { cloud, begin, start } = await open(true, beside);
      begin();
      await newPerson(cloud.url, 'ada');
      const go = browser();
      const { next, cookie } = await go(await signInAt(go, (await start(go)).url, 'ada'));
      expect(next).toBe(`${cloud.url}/login?error=account_not_linked`);
      expect(cookie()).not.toContain('session_token');
      await sql`update "user" set "emailVerified" = true`.execute(cloud.db);
      const again = browser();
      const verified = await again(await signInAt(again, (await start(again)).url, 'ada'));
      expect(verified.next).toBe(`${cloud.url}/login?error=account_not_linked`);

      const bob = browser();
      await bob(await signInAt(bob, (await start(bob)).url, 'bob'));
      const body = JSON.stringify({ email: 'bob@example.com', password: 'a long password', name: 'Bob' });
      const headers = { 'content-type': 'application/json', origin: cloud.url };
      const taken = await fetch(`${cloud.url}/auth/sign-up/email`, { method: 'POST', headers, body });
      expect(taken.status).toBe(422);
    });

    test("lets a provider's user set a password only by mail, after which both methods open the same account", async () => {
      const { cloud, begin, start } = await open(true, beside);
      begin();
      const comeByProvider = async () => {
        const go = browser();
        await go(await signInAt(go, (await start(go)).url, 'bob'));
        return go(`${cloud.url}/auth/account`);
      };
      const subOf = async (cookie: string) => decodeJwt(await identityToken(cloud.url, cookie)).sub;
      const first = await comeByProvider();
      expect(await first.response.json()).toEqual({ password: false });
      const sub = await subOf(first.cookie());

      const page = newPage(cloud.url);
      await page.post('/auth/request-password-reset', { email: 'bob@example.com' });
      const letter = new URL(await mailedLink(cloud.data, 'Choose a new password', 'bob@example.com'));
      const newPassword = 'one of his own';
      const chosen = await page.post('/auth/reset-password', {
        token: letter.searchParams.get('reset'),
        newPassword,
      });
      expect(chosen.status).toBe(200);
      expect((await page.signIn('bob@example.com', newPassword)).status).toBe(200);
      expect((await page.get('/auth/account')).body).toEqual({ password: true });
      expect(decodeJwt((await page.token()) ?? '').sub).toBe(sub);
      expect(await subOf((await comeByProvider()).cookie())).toBe(sub);
    });

    test('[S4] rejects a provider that did not verify the address, once the owner of the address has chosen a password', async () => {
      const { cloud, begin, start } = await open(false, beside);
      begin();
      const comeByProvider = async () => {
        const go = browser();
        return (await go(await signInAt(go, (await start(go)).url, 'bob'))).next;
      };
      for (let times = 0; times < 2; times += 1) expect(await comeByProvider()).toBe(`${cloud.url}/fp/cloud`);
      const page = newPage(cloud.url);
      await page.post('/auth/request-password-reset', { email: 'bob@example.com' });
      const letter = new URL(await mailedLink(cloud.data, 'Choose a new password', 'bob@example.com'));
      const newPassword = 'one of his own';
      await page.post('/auth/reset-password', { token: letter.searchParams.get('reset'), newPassword });
      expect(await comeByProvider()).toBe(`${cloud.url}/login?error=account_not_linked`);
      expect((await page.signIn('bob@example.com', newPassword)).status).toBe(200);
    });

    test('[S1] rejects a sign-in through the provider if the user has a second factor', async () => {
      const { cloud, begin, start } = await open(true, beside);
      begin();
      const first = browser();
      await first(await signInAt(first, (await start(first)).url, 'ada'));
      await sql`update "user" set "twoFactorEnabled" = true`.execute(cloud.db);
      const go = browser();
      const { next, cookie } = await go(await signInAt(go, (await start(go)).url, 'ada'));
      expect(next).toMatch(/\/login\?error=(unable|failed)_to_create_session$/);
      expect(cookie()).not.toContain('session_token');
    });

    test('[S6] gives no organisation to a user who signs up with a password', async () => {
      const { cloud } = await open(true, beside);
      const organization = JSON.stringify({ id: 'org_1', role: 'admin' });
      const signUp = await fetch(`${cloud.url}/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: cloud.url },
        body: JSON.stringify({
          email: 'eve@example.com',
          password: 'a long password',
          name: 'Eve',
          organization,
        }),
      });
      const auth = { type: 'fixpoint', token: await identityToken(cloud.url, cookiesOf(signUp)) };
      expect((await putJson(`${cloud.url}/api`, { type: 'reqEnsureUser', auth })).body.tenants).toEqual([]);
    });
  });

  test('[S11] redirects to no other origin, and accepts no passwords if the provider is the only method', async () => {
    const { cloud, begin, start } = await open();
    begin();
    expect((await start(browser(), 'https://evil.example/')).status).toBe(403);
    const signUp = await fetch(`${cloud.url}/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: cloud.url },
      body: JSON.stringify({ email: 'eve@example.com', password: 'a long password', name: 'Eve' }),
    });
    expect(signUp.ok).toBe(false);
  });
});
