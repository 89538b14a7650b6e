/**
 * A fake of Clerk's frontend API, so that no request leaves this machine. It has one user, whose
 * session lasts for the whole test.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { BrowserContext, Route } from 'playwright-core';
import { listening } from '../../packages/cloud/tests/oidc-provider.fixture.ts';

const CLERK_HOST = 'clerk.fixpoint.test';
const ISSUER = `https://${CLERK_HOST}`;
/** Address of the pages that Clerk itself serves. */
const ACCOUNTS = 'https://accounts.fixpoint.test';
const SESSION = 'sess_1';
const TEMPLATE = 'with-email';

/**
 * The provider's real script if `CLERK_SCRIPT` contains its path; otherwise a fake with the
 * functions that the console uses.
 */
const SCRIPT = process.env['CLERK_SCRIPT']
  ? readFileSync(process.env['CLERK_SCRIPT'], 'utf8')
  : `(() => {
  const call = async (path, body) => {
    const answer = await fetch('${ISSUER}/v1' + path, {
      method: body === undefined ? 'GET' : 'POST',
      credentials: 'include',
      ...(body && { body: new URLSearchParams(body) }),
    });
    const told = await answer.json();
    if (!answer.ok) throw told;
    if (told.client) take(told.client);
    return told.response;
  };
  const take = (client) => {
    const [session] = client.sessions;
    const email = session && session.user.email_addresses[0];
    clerk.user = email && {
      fullName: session.user.first_name + ' ' + session.user.last_name,
      primaryEmailAddress: { emailAddress: email.email_address, verification: email.verification },
      createdAt: new Date(session.user.created_at),
      unsafeMetadata: session.user.unsafe_metadata,
      update: ({ unsafeMetadata }) =>
        call('/me?_method=PATCH', { unsafe_metadata: JSON.stringify(unsafeMetadata) }),
    };
    clerk.session = session && {
      createdAt: new Date(session.created_at),
      getToken: async ({ template }) => (await call('/client/sessions/' + session.id + '/tokens/' + template, {})).jwt,
    };
  };
  const attempt = (told) => ({
    status: told.status,
    createdSessionId: told.created_session_id,
    unverifiedFields: told.unverified_fields ?? [],
  });
  const signUp = (told) => ({
    ...attempt(told),
    prepareEmailAddressVerification: async () => signUp(await call('/client/sign_ups/' + told.id + '/prepare_verification', {})),
  });
  const clerk = {
    load: async () => take(await call('/client')),
    client: {
      signIn: {
        create: async ({ identifier, password }) => attempt(await call('/client/sign_ins', { identifier, password })),
      },
      signUp: {
        create: async ({ emailAddress, unsafeMetadata }) =>
          signUp(await call('/client/sign_ups', { email_address: emailAddress, unsafe_metadata: JSON.stringify(unsafeMetadata) })),
        attemptEmailAddressVerification: async ({ code }) =>
          attempt(await call('/client/sign_ups/su_1/attempt_verification', { code })),
      },
    },
    setActive: async () => take(await call('/client')),
    signOut: async () => void (await call('/client/sessions?_method=DELETE', {})),
    buildUserProfileUrl: () => '${ACCOUNTS}/user',
    redirectToSignUp: async ({ signUpForceRedirectUrl: back }) =>
      location.assign('${ACCOUNTS}/sign-up?redirect_url=' + encodeURIComponent(back)),
    redirectToSignIn: async ({ signInForceRedirectUrl: back }) =>
      location.assign('${ACCOUNTS}/sign-in?redirect_url=' + encodeURIComponent(back)),
  };
  window.Clerk = clerk;
})();`;

const PERSON = {
  object: 'user',
  id: 'user_1',
  first_name: 'Ada',
  last_name: 'Lovelace',
  primary_email_address_id: 'idn_1',
  email_addresses: [
    {
      object: 'email_address',
      id: 'idn_1',
      email_address: 'ada@example.com',
      verification: { status: 'verified', strategy: 'email_code' },
      linked_to: [],
    },
  ],
  external_accounts: [],
  phone_numbers: [],
  web3_wallets: [],
  enterprise_accounts: [],
  passkeys: [],
  organization_memberships: [],
  created_at: 1,
  unsafe_metadata: {},
  public_metadata: {},
};

const SIGN_UP = {
  object: 'sign_up_attempt',
  id: 'su_1',
  status: 'missing_requirements',
  created_session_id: null,
  unverified_fields: ['email_address'],
  missing_fields: [],
  required_fields: [],
  optional_fields: [],
  verifications: {},
};

/**
 * Requests that the fake received. `scriptFailures` is how many of the first requests for the
 * script fail.
 */
export interface FakeClerk {
  readonly env: Record<string, string>;
  readonly signUps: Record<string, string>[];
  readonly templates: string[];
  /** Metadata that was added to an account after its creation. */
  readonly metadata: unknown[];
  scriptFailures: number;
  scripts: number;
  /** Answers the requests that pages of the context send to the provider. */
  answer(context: BrowserContext, origin: string): Promise<void>;
}

export async function fakeClerk(): Promise<FakeClerk> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
  const issuer = await listening(
    createServer((_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
    ),
  );
  let isSignedIn = false;
  let madeAt = PERSON.created_at;
  const person = () => ({ ...PERSON, created_at: madeAt });
  const sign = (origin: string, claims: object) =>
    new SignJWT({ azp: origin, sid: SESSION, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(PERSON.id)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
  const sessionFor = async (origin: string) => ({
    object: 'session',
    id: SESSION,
    status: 'active',
    user: person(),
    created_at: Date.now(),
    last_active_at: Date.now(),
    expire_at: Date.now() + 3_600_000,
    abandon_at: Date.now() + 3_600_000,
    last_active_token: { object: 'token', jwt: await sign(origin, {}) },
    public_user_data: { identifier: 'ada@example.com' },
  });
  const clientFor = async (origin: string) => ({
    object: 'client',
    id: 'client_1',
    sessions: isSignedIn ? [await sessionFor(origin)] : [],
    sign_in: null,
    sign_up: isSignedIn || fake.signUps.length === 0 ? null : SIGN_UP,
    last_active_session_id: isSignedIn ? SESSION : null,
    created_at: 1,
    updated_at: 2,
  });
  const fake: FakeClerk = {
    env: {
      AUTH: 'clerk',
      CLERK_PUBLISHABLE_KEY: `pk_live_${btoa(`${CLERK_HOST}$`)}`,
      CLERK_TEMPLATE: TEMPLATE,
      CLERK_JWKS_URL: `${issuer}/jwks`,
    },
    signUps: [],
    templates: [],
    metadata: [],
    scriptFailures: 0,
    scripts: 0,
    answer: async (context, origin) => {
      await context.route(`${ISSUER}/**`, (route) => reply(route, origin));
      await context.route(`${ACCOUNTS}/**`, ownPage);
    },
  };

  /**
   * Handles a request.
   * @returns the body, or undefined for a wrong password or code
   */
  async function told(path: string, sent: URLSearchParams, origin: string): Promise<object | undefined> {
    const complete = { status: 'complete', created_session_id: SESSION, unverified_fields: [] };
    const token = /\/tokens\/(.+)$/.exec(path)?.[1];
    if (token !== undefined) {
      fake.templates.push(token);
      return { object: 'token', jwt: await sign(origin, { email: 'ada@example.com', email_verified: true }) };
    }
    switch (path) {
      case '/v1/environment':
        return ENVIRONMENT;
      case '/v1/client':
        return { response: await clientFor(origin), client: null };
      case '/v1/client/sign_ins':
        if (sent.get('password') !== 'right') return undefined;
        isSignedIn = true;
        return { response: { object: 'sign_in_attempt', id: 'si_1', ...complete } };
      case '/v1/client/sign_ups':
        fake.signUps.push(Object.fromEntries(sent));
        return { response: SIGN_UP };
      case '/v1/client/sign_ups/su_1/prepare_verification':
        return { response: SIGN_UP };
      case '/v1/client/sign_ups/su_1/attempt_verification':
        if (sent.get('code') !== '424242') return undefined;
        isSignedIn = true;
        return { response: { ...SIGN_UP, ...complete } };
      case '/v1/me':
        fake.metadata.push(JSON.parse(sent.get('unsafe_metadata') ?? ''));
        return { response: person() };
      case '/v1/client/sessions':
        isSignedIn = false;
        return { response: await clientFor(origin) };
      default:
        return { response: await sessionFor(origin) };
    }
  }

  /** Serves Clerk's own sign-in page, whose link signs the user in. */
  async function ownPage(route: Route): Promise<void> {
    const url = new URL(route.request().url());
    if (url.pathname === '/come-in') {
      isSignedIn = true;
      if (url.searchParams.has('new')) madeAt = Date.now();
      return route.fulfill({ status: 302, headers: { location: url.searchParams.get('to') ?? '' } });
    }
    const back = url.searchParams.get('redirect_url') ?? url.searchParams.get('sign_in_force_redirect_url');
    const isNew = url.pathname.startsWith('/sign-up');
    const to = `/come-in?to=${encodeURIComponent(back ?? '')}${isNew ? '&new' : ''}`;
    return route.fulfill({
      contentType: 'text/html',
      body: `<a href="${to}">Come in with something else</a>`,
    });
  }

  async function reply(route: Route, origin: string): Promise<void> {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const headers = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-methods': 'GET, POST',
    };
    if (pathname.endsWith('/clerk.browser.js')) {
      fake.scripts += 1;
      if (fake.scripts <= fake.scriptFailures) return route.abort();
      return route.fulfill({ headers, contentType: 'text/javascript', body: SCRIPT });
    }
    if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
    const body = await told(pathname, new URLSearchParams(request.postData() ?? ''), origin);
    if (body === undefined)
      return route.fulfill({
        status: 422,
        headers,
        json: {
          errors: [{ code: 'form_incorrect', message: 'is incorrect', long_message: 'It is incorrect.' }],
        },
      });
    const isWhole =
      pathname === '/v1/environment' || pathname.includes('/tokens/') || pathname === '/v1/client';
    return route.fulfill({
      headers,
      json: isWhole ? wrapped(body) : { ...body, client: await clientFor(origin) },
    });
  }
  return fake;
}

const wrapped = (body: object): object => ('object' in body ? { response: body, ...body } : body);

const ENVIRONMENT = {
  auth_config: { single_session_mode: true, id: 'aconf_1', object: 'auth_config' },
  display_config: {
    object: 'display_config',
    sign_in_url: `${ACCOUNTS}/sign-in`,
    sign_up_url: `${ACCOUNTS}/sign-up`,
    user_profile_url: `${ACCOUNTS}/user`,
    home_url: '/',
    instance_environment_type: 'production',
  },
  user_settings: { attributes: {}, social: {}, sign_in: {}, sign_up: {} },
  organization_settings: {},
  maintenance_mode: false,
};
