import { afterEach, describe, expect, test, vi } from 'vitest';
import { clerkSession } from './clerk-session.ts';
import { type Clerk, type ClerkSignIn, type ClerkSignUp, retried } from './load-clerk.ts';

const config = {
  kind: 'clerk',
  publishableKey: 'pk_live_x',
  key: { instance: 'live', frontendHost: 'clerk.example.com' },
  proxyUrl: undefined,
  template: 'with-email',
} as const;

interface Given {
  readonly signIn?: Partial<ClerkSignIn>;
  readonly signUp?: Partial<ClerkSignUp>;
  readonly user?: Clerk['user'];
  /** Items stored for this tab. */
  readonly tab?: Map<string, string>;
  readonly sessionAt?: number;
}

/** Returns a session that uses a stub of the provider's script. The stub records its calls. */
function sessionOf({ signIn, signUp, user, tab = new Map(), sessionAt = 0 }: Given) {
  const asked: unknown[] = [];
  const keep = (what: unknown) => {
    asked.push(what);
    return Promise.resolve();
  };
  const clerk = {
    user,
    session: {
      createdAt: new Date(sessionAt),
      getToken: async (options: object) => {
        await keep(options);
        return 'token';
      },
    },
    client: { signIn: signIn as ClerkSignIn, signUp: signUp as ClerkSignUp },
    setActive: keep,
    signOut: () => keep('out'),
    redirectToSignIn: (options) => keep({ to: 'sign-in', ...options }),
    redirectToSignUp: (options) => keep({ to: 'sign-up', ...options }),
  } as Partial<Clerk> as Clerk;
  const storage = {
    getItem: (key: string) => tab.get(key) ?? null,
    setItem: (key: string, value: string) => void tab.set(key, value),
    removeItem: (key: string) => void tab.delete(key),
  };
  return { session: clerkSession(config, async () => clerk, storage), asked };
}

/** Returns a user whose account was created this long before the session. */
function userAged(ageMs: number, update: (change: object) => Promise<unknown> = async () => undefined) {
  const primaryEmailAddress = { emailAddress: 'a@b.c', verification: { status: 'verified' } };
  const createdAt = new Date(SESSION_AT - ageMs);
  return { fullName: null, primaryEmailAddress, createdAt, unsafeMetadata: { theme: 'dark' }, update };
}
const SESSION_AT = 1_000_000;

const complete = { status: 'complete', createdSessionId: 's1' } as ClerkSignIn & ClerkSignUp;

describe('sign-in by Clerk', () => {
  test('uses the token template, and creates a new token after a rejection', async () => {
    const { session, asked } = sessionOf({});
    expect(await session.auth()).toEqual({ type: 'clerk', token: 'token' });
    session.forgetToken();
    await session.auth();
    await session.auth();
    const template = 'with-email';
    expect(asked).toEqual([false, true, false].map((skipCache) => ({ template, skipCache })));
  });

  test('reports the address of a user, and whether the address is verified', async () => {
    const { session } = sessionOf({ user: userAged(0) });
    expect(await session.user()).toEqual({ name: 'a@b.c', email: 'a@b.c', emailVerified: true });
    expect(await sessionOf({ user: null }).session.user()).toBeUndefined();
  });

  test('activates the session after a successful sign-in, and says what to do for any other outcome', async () => {
    const done = sessionOf({ signIn: { create: async () => complete } });
    expect(await done.session.signIn('a@b.c', 'x')).toEqual({ is: 'done' });
    expect(done.asked).toEqual([{ session: 's1' }]);
    const other = { ...complete, status: 'needs_first_factor' } as ClerkSignIn;
    const more = sessionOf({ signIn: { create: async () => other } });
    expect(await more.session.signIn('a@b.c', 'x')).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/Other ways/),
    });
    const errors = [{ code: 'x', message: 'short', longMessage: 'Password is incorrect.' }];
    const refused = sessionOf({ signIn: { create: () => Promise.reject({ errors }) } });
    expect(await refused.session.signIn('a@b.c', 'x')).toEqual({
      is: 'refused',
      why: 'Password is incorrect.',
    });
  });

  test('supports a code from an app as the second step', async () => {
    const first = {
      status: 'needs_second_factor',
      createdSessionId: null,
      supportedSecondFactors: [{ strategy: 'totp' }],
    } as unknown as ClerkSignIn;
    const codes: unknown[] = [];
    const { session } = sessionOf({
      signIn: {
        create: async () => first,
        attemptSecondFactor: async (given) => {
          codes.push(given);
          return complete;
        },
      },
    });
    expect(await session.signIn('a@b.c', 'x')).toEqual({ is: 'code', from: 'app' });
    expect(await session.signInByCode('123456')).toEqual({ is: 'done' });
    expect(codes).toEqual([{ strategy: 'totp', code: '123456' }]);
  });

  test('creates an account with the email choice and the ad click, and verifies the address with a code', async () => {
    const created: unknown[] = [];
    const unproven: ClerkSignUp = {
      ...complete,
      status: 'missing_requirements',
      unverifiedFields: ['email_address'],
      prepareEmailAddressVerification: async () => unproven,
    };
    const { session } = sessionOf({
      signUp: {
        create: async (given) => {
          created.push(given);
          // Simulates an instance that accepts no names.
          if ('firstName' in given) throw { errors: [{ code: 'form_param_unknown' }] };
          return unproven;
        },
        attemptEmailAddressVerification: async () => complete,
      },
    });
    const given = {
      name: 'Ada King Lovelace',
      email: 'a@b.c',
      password: 'x',
      emailOptIn: true,
      adClickId: 'c1',
    };
    expect(await session.signUp(given)).toEqual({ is: 'code', from: 'mail' });
    const asked = {
      emailAddress: 'a@b.c',
      password: 'x',
      unsafeMetadata: { emailOptIn: true, adClickId: 'c1' },
    };
    expect(created).toEqual([{ ...asked, firstName: 'Ada', lastName: 'King Lovelace' }, asked]);
    expect(await session.signInByCode('42')).toEqual({ is: 'done' });
  });
});

describe('sign-in on the page of the provider', () => {
  afterEach(() => vi.unstubAllGlobals());
  const back = 'https://console.example/fp/cloud';
  const leadingBack = { signInForceRedirectUrl: back, signUpForceRedirectUrl: back };
  const choice = { emailOptIn: true, adClickId: 'c1' };
  const leave = async (tab: Map<string, string>, chosen?: typeof choice) => {
    vi.stubGlobal('location', { origin: 'https://console.example' });
    const { session, asked } = sessionOf({ tab });
    expect(await session.signInElsewhere('/fp/cloud', chosen)).toEqual({ is: 'leaving' });
    return asked;
  };
  const comeBack = async (tab: Map<string, string>, ageMs: number, update?: () => Promise<unknown>) => {
    const changes: object[] = [];
    const keep = async (change: object) => void changes.push(change);
    const { session } = sessionOf({ tab, sessionAt: SESSION_AT, user: userAged(ageMs, update ?? keep) });
    await session.user();
    await new Promise((done) => setTimeout(done));
    return changes;
  };

  test('[2.4] applies the sign-up choice once to the account that the user created on the provider’s page', async () => {
    const tab = new Map<string, string>();
    expect(await leave(tab, choice)).toEqual([{ to: 'sign-up', ...leadingBack }]);
    expect(await comeBack(tab, 900)).toEqual([{ unsafeMetadata: { theme: 'dark', ...choice } }]);
    expect(await comeBack(tab, 900)).toEqual([]);
  });

  test('[2.4] drops the choice when the account already existed', async () => {
    const tab = new Map<string, string>();
    await leave(tab, choice);
    expect(await comeBack(tab, 120_000)).toEqual([]);
    expect(tab.size).toBe(0);
  });

  test('[2.4] drops the choice when the user then signs in, or signs up with the form', async () => {
    const tab = new Map<string, string>();
    await leave(tab, choice);
    expect(await leave(tab)).toEqual([{ to: 'sign-in', ...leadingBack }]);
    expect(tab.size).toBe(0);
    await leave(tab, choice);
    const { session } = sessionOf({
      tab,
      signUp: { create: async () => ({ ...complete, unverifiedFields: [] }) },
    });
    await session.signUp({ name: 'Ada', email: 'a@b.c', password: 'x', emailOptIn: false });
    expect(tab.size).toBe(0);
  });

  test('keeps the choice for the next page when saving fails, and lets the user in', async () => {
    const tab = new Map<string, string>();
    await leave(tab, choice);
    await comeBack(tab, 900, () => Promise.reject(new Error('offline')));
    expect(await comeBack(tab, 900)).toEqual([{ unsafeMetadata: { theme: 'dark', ...choice } }]);
  });
});

describe('the script of the provider', () => {
  async function load(failures: number) {
    const waits: number[] = [];
    let tries = 0;
    const run = async () => {
      tries += 1;
      if (tries <= failures) throw new Error(`failure ${tries}`);
      return 'loaded';
    };
    const wait = async (ms: number) => void waits.push(ms);
    const outcome = await retried(run, wait).catch((cause: Error) => cause.message);
    return { outcome, waits };
  }

  test('is retried up to five times, with doubling waits', async () => {
    expect(await load(0)).toEqual({ outcome: 'loaded', waits: [] });
    expect(await load(5)).toEqual({ outcome: 'loaded', waits: [125, 250, 500, 1000, 2000] });
    expect(await load(9)).toEqual({ outcome: 'failure 6', waits: [125, 250, 500, 1000, 2000] });
  });
});
