/**
 * Loads the script of the sign-in provider Clerk from Clerk's frontend host, or through a proxy in
 * front of that host (spec §7).
 */
import { clerkScriptUrl, FixpointError } from '@fixpoint/protocol';
import type { ClerkConfig } from './read-provider.ts';

interface ClerkEmail {
  readonly emailAddress: string;
  readonly verification: { readonly status: string | null };
}

/** A sign-in or sign-up attempt, as the provider reports it. */
export interface ClerkAttempt {
  readonly status: string | null;
  readonly createdSessionId: string | null;
}

export interface ClerkSignIn extends ClerkAttempt {
  readonly supportedSecondFactors?: readonly { readonly strategy: string }[] | null;
  create(given: { identifier: string; password: string }): Promise<ClerkSignIn>;
  attemptSecondFactor(given: { strategy: 'totp'; code: string }): Promise<ClerkSignIn>;
}

export interface ClerkSignUp extends ClerkAttempt {
  readonly unverifiedFields: readonly string[];
  create(given: object): Promise<ClerkSignUp>;
  prepareEmailAddressVerification(how: { strategy: 'email_code' }): Promise<ClerkSignUp>;
  attemptEmailAddressVerification(given: { code: string }): Promise<ClerkSignUp>;
}

/** The pages of the console that the provider's own page opens after a sign-in or a sign-up. */
interface ClerkReturn {
  readonly signInForceRedirectUrl: string;
  readonly signUpForceRedirectUrl: string;
}

/** The part of the provider's script that the console uses. */
export interface Clerk {
  load(options: { polling: boolean; telemetry: false }): Promise<void>;
  readonly user?: {
    readonly fullName: string | null;
    readonly primaryEmailAddress: ClerkEmail | null;
    readonly createdAt: Date | null;
    readonly unsafeMetadata: Readonly<Record<string, unknown>>;
    update(change: { unsafeMetadata: Record<string, unknown> }): Promise<unknown>;
  } | null;
  readonly session?: {
    readonly createdAt: Date;
    getToken(options: { template: string; skipCache: boolean }): Promise<string | null>;
  } | null;
  readonly client?: { readonly signIn: ClerkSignIn; readonly signUp: ClerkSignUp };
  setActive(chosen: { session: string }): Promise<void>;
  signOut(): Promise<void>;
  redirectToSignIn(options: ClerkReturn): Promise<unknown>;
  redirectToSignUp(options: ClerkReturn): Promise<unknown>;
  buildUserProfileUrl(): string;
}

const RETRIES_MAX = 5;
const FIRST_WAIT_MS = 125;

/** Retries a call up to five times, with doubling waits. */
export async function retried<T>(run: () => Promise<T>, wait: (ms: number) => Promise<void>): Promise<T> {
  for (let retry = 0; ; retry += 1)
    try {
      return await run();
    } catch (cause) {
      if (retry === RETRIES_MAX) throw cause;
      await wait(FIRST_WAIT_MS * 2 ** retry);
    }
}

/**
 * Loads the provider's script. @throws FixpointError FETCH when the script cannot be loaded, or
 * does not reach the provider
 */
export async function loadClerk(config: ClerkConfig): Promise<Clerk> {
  try {
    await retried(
      () => addScript(config),
      (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    );
    const { Clerk: clerk } = window as { Clerk?: Clerk };
    if (clerk === undefined) throw new Error('its script doesn’t define Clerk');
    // The console makes only the requests it needs, and sends no telemetry.
    await clerk.load({ polling: false, telemetry: false });
    return clerk;
  } catch (cause) {
    throw new FixpointError('FETCH', `the sign-in provider: ${(cause as Error).message}`, { cause });
  }
}

function addScript({ publishableKey, key, proxyUrl }: ClerkConfig): Promise<void> {
  const script = document.createElement('script');
  script.src = clerkScriptUrl(key, proxyUrl);
  script.async = true;
  script.crossOrigin = 'anonymous';
  script.dataset['clerkPublishableKey'] = publishableKey;
  if (proxyUrl !== undefined) script.dataset['clerkProxyUrl'] = proxyUrl;
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('its script could not be loaded'));
    });
    document.head.append(script);
  });
}
