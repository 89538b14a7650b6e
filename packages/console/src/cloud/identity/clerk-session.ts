/**
 * Signs users in through Clerk. The provider stores the session. Tokens are created from the
 * provider's template that includes the email address. The console shows its own forms, not the
 * provider's.
 */

import { FixpointError } from '@fixpoint/protocol';
import { wholePath } from '../../ui/pages/base-path.ts';
import { failureText } from '../../ui/text/failure-text.ts';
import { type Clerk, type ClerkAttempt, type ClerkSignUp, loadClerk } from './load-clerk.ts';
import type { ClerkConfig } from './read-provider.ts';
import type { Attempt, Session, SessionUser, SignUp } from './session-port.ts';
import { giveChoice, keepChoice, type TabStorage, tabStorage } from './sign-up-choice.ts';

const AUTH_TYPE = 'clerk';
const ELSEWHERE = 'Other ways to sign in';
const AT_PROVIDER = 'The sign-in provider manages this. Go to the provider’s own page.';
const MORE_STEPS: Attempt = {
  is: 'refused',
  why: `This account needs another step. Choose "${ELSEWHERE}" to continue.`,
};

type Client = NonNullable<Clerk['client']>;

/**
 * @param load loads the provider's script; tests replace it
 * @param storage storage of this tab
 */
export function clerkSession(config: ClerkConfig, load = loadClerk, storage = tabStorage): Session {
  const ready = connectOnce(config, load, storage);
  /** Whether the pending code is for a sign-in or a sign-up. */
  let step: 'sign-in' | 'sign-up' = 'sign-in';
  let isTokenOld = false;

  async function attempt(run: (clerk: Clerk, client: Client) => Promise<Attempt>): Promise<Attempt> {
    try {
      const clerk = await ready();
      if (clerk.client === undefined) throw new FixpointError('FETCH', 'the sign-in provider');
      isTokenOld = true;
      return await run(clerk, clerk.client);
    } catch (cause) {
      return { is: 'refused', why: reasonOf(cause) };
    }
  }

  return {
    user: async () => userOf(await ready()),
    auth: async () => {
      const { session } = await ready();
      const token = await session?.getToken({ template: config.template, skipCache: isTokenOld });
      isTokenOld = false;
      return token ? { type: AUTH_TYPE, token } : undefined;
    },
    forgetToken: () => {
      isTokenOld = true;
    },
    ways: async () => ({ password: true, mailedLink: false, passkey: false, elsewhere: ELSEWHERE }),
    signIn: (email, password) =>
      attempt(async (clerk, client) => {
        const tried = await signIn(clerk, client, email, password);
        if (tried.is === 'code') step = 'sign-in';
        return tried;
      }),
    signUp: (given) =>
      attempt(async (clerk, client) => {
        keepChoice(storage, undefined);
        const tried = await signUp(clerk, client, given);
        if (tried.is === 'code') step = 'sign-up';
        return tried;
      }),
    signInByCode: (code) => attempt((clerk, client) => takeCode(clerk, client, step, code)),
    signInByPasskey: async () => ({ is: 'refused', why: AT_PROVIDER }),
    signInElsewhere: (backTo, choice) =>
      attempt((clerk) => {
        keepChoice(storage, choice);
        return leaveForProvider(clerk, backTo, choice !== undefined);
      }),
    mailLink: async () => AT_PROVIDER,
    choosePassword: async () => AT_PROVIDER,
    signOut: () => ready().then(signOut).catch(reasonOf),
    sendVerification: async () => AT_PROVIDER,
    account: async () => ({ elsewhere: (await ready()).buildUserProfileUrl() }),
  };
}

/** Returns a function that loads the provider's script once; after a failure it tries again. */
function connectOnce(config: ClerkConfig, load: typeof loadClerk, storage: TabStorage): () => Promise<Clerk> {
  let loading: Promise<Clerk> | undefined;
  return () => {
    loading ??= load(config).then(
      (clerk) => {
        // Not awaited, because the user needn't wait for this.
        giveChoice(storage, clerk).catch(() => undefined);
        return clerk;
      },
      (cause) => {
        loading = undefined;
        throw cause;
      },
    );
    return loading;
  };
}

function userOf({ user }: Clerk): SessionUser | undefined {
  if (!user?.primaryEmailAddress) return undefined;
  const { emailAddress: email, verification } = user.primaryEmailAddress;
  return { name: user.fullName || email, email, emailVerified: verification.status === 'verified' };
}

async function signIn(clerk: Clerk, client: Client, email: string, password: string): Promise<Attempt> {
  const tried = await client.signIn.create({ identifier: email, password });
  const hasApp = tried.supportedSecondFactors?.some(({ strategy }) => strategy === 'totp');
  if (tried.status === 'needs_second_factor' && hasApp) return { is: 'code', from: 'app' };
  return activate(clerk, tried);
}

async function signUp(clerk: Clerk, client: Client, given: SignUp): Promise<Attempt> {
  const tried = await create(client.signUp, given);
  if (!tried.unverifiedFields.includes('email_address')) return activate(clerk, tried);
  await tried.prepareEmailAddressVerification({ strategy: 'email_code' });
  return { is: 'code', from: 'mail' };
}

async function takeCode(
  clerk: Clerk,
  client: Client,
  step: 'sign-in' | 'sign-up',
  code: string,
): Promise<Attempt> {
  const tried =
    step === 'sign-up'
      ? await client.signUp.attemptEmailAddressVerification({ code })
      : await client.signIn.attemptSecondFactor({ strategy: 'totp', code });
  return activate(clerk, tried);
}

async function leaveForProvider(clerk: Clerk, backTo: string, isNew: boolean): Promise<Attempt> {
  const back = new URL(wholePath(backTo), location.origin).href;
  const leadingBack = { signInForceRedirectUrl: back, signUpForceRedirectUrl: back };
  await (isNew ? clerk.redirectToSignUp(leadingBack) : clerk.redirectToSignIn(leadingBack));
  return { is: 'leaving' };
}

async function signOut(clerk: Clerk): Promise<undefined> {
  await clerk.signOut();
}

/** Activates the session that the attempt created. */
async function activate(clerk: Clerk, { status, createdSessionId }: ClerkAttempt): Promise<Attempt> {
  if (status !== 'complete' || createdSessionId === null) return MORE_STEPS;
  await clerk.setActive({ session: createdSessionId });
  return { is: 'done' };
}

/**
 * Sends the email choice and the ad click id as metadata. If the instance accepts no names, sends
 * the request again without them.
 */
async function create(signUp: ClerkSignUp, given: SignUp): Promise<ClerkSignUp> {
  const { email: emailAddress, password, name, emailOptIn, adClickId } = given;
  const unsafeMetadata = { emailOptIn, ...(adClickId !== undefined && { adClickId }) };
  const [firstName, ...others] = name.split(' ');
  const names = { firstName, ...(others.length > 0 && { lastName: others.join(' ') }) };
  const asked = { emailAddress, password, unsafeMetadata };
  try {
    return await signUp.create({ ...asked, ...names });
  } catch (cause) {
    if (!refusalsOf(cause).some(({ code }) => code === 'form_param_unknown')) throw cause;
    return signUp.create(asked);
  }
}

interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly longMessage?: string;
}

const refusalsOf = (cause: unknown): readonly Refusal[] => {
  const { errors } = cause as { errors?: unknown };
  return Array.isArray(errors) ? (errors as Refusal[]) : [];
};

function reasonOf(cause: unknown): string {
  const [first] = refusalsOf(cause);
  return first?.longMessage || first?.message || failureText(cause);
}
