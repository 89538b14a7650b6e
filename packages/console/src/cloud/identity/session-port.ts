/** Defines the session: the port that each identity provider implements with an adapter. */
import type { Result } from '@fixpoint/protocol';
import type { Auth } from '@fixpoint/protocol/admin';

export interface SessionUser {
  readonly name: string;
  readonly email: string;
  /** Whether the user verified this address. Invites by email depend on it. */
  readonly emailVerified: boolean;
}

/** Choices for a new account, the same for all providers (spec §2). */
export interface SignUpChoice {
  readonly emailOptIn: boolean;
  readonly adClickId?: string;
}

export interface SignUp extends SignUpChoice {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** The secret of a mailed invite, which proves the address. */
  readonly invite?: string;
}

/** Sign-in methods that the sign-in pages offer. */
export interface SignInWays {
  readonly password: boolean;
  /** Whether the server can mail links, for sign-in or for a new password. */
  readonly mailedLink: boolean;
  readonly passkey: boolean;
  /** The label of the button for the provider's own page; undefined without such a page. */
  readonly elsewhere: string | undefined;
  /** Set if not everybody can create an account at once. */
  readonly signUp?: 'waitlist' | 'closed';
}

/** The outcome of a sign-in or sign-up attempt. */
export type Attempt =
  | { readonly is: 'done' }
  | { readonly is: 'refused'; readonly why: string }
  /** The user must enter a code, from an email or from an app. */
  | { readonly is: 'code'; readonly from: 'mail' | 'app' }
  /** The browser is leaving for the provider's page. */
  | { readonly is: 'leaving' };

/** One browser or device in which the user is signed in. */
export interface OpenSession {
  readonly id: string;
  /** When the session was last used, as ISO text, accurate to a day. */
  readonly updatedAt: string;
  readonly createdAt: string;
  readonly ipAddress?: string | undefined;
  readonly userAgent?: string | undefined;
  /** Whether it is the session of this browser. */
  readonly current: boolean;
}

export interface Passkey {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly createdAt?: string | null | undefined;
}

/** A code from an authenticator app as a second step, in addition to the password. */
export interface SecondFactor {
  isOn(): Promise<Result<boolean>>;
  /**
   * Returns the key to enter in the app, and backup codes. The second step is enabled once the
   * first correct code arrives.
   */
  begin(
    password: string,
  ): Promise<Result<{ readonly totpURI: string; readonly backupCodes: readonly string[] }>>;
  finish(code: string): Promise<Result<unknown>>;
  newBackupCodes(password: string): Promise<Result<{ readonly backupCodes: readonly string[] }>>;
  turnOff(password: string): Promise<Result<unknown>>;
}

/**
 * Access to revoke when sessions end. `keep`: none. `devices`: programs and devices that signed in
 * with a code. `all`: these and API tokens.
 */
export type EndedAccess = 'keep' | 'devices' | 'all';

/** Actions of the account page. An action is undefined if the provider doesn't support it. */
export interface Account {
  readonly sessions?: {
    list(): Promise<Result<readonly OpenSession[]>>;
    end(id: string): Promise<Result<unknown>>;
    endOthers(access: EndedAccess): Promise<Result<unknown>>;
  };
  readonly passkeys?: {
    list(): Promise<Result<readonly Passkey[]>>;
    add(name: string): Promise<Result<unknown>>;
    remove(id: string): Promise<Result<unknown>>;
  };
  /** Also ends all other sessions. */
  readonly changePassword?: (current: string, next: string, access: EndedAccess) => Promise<Result<unknown>>;
  /** Access that the console suggests to revoke when sessions end; undefined to suggest none. */
  readonly signOutEnds?: EndedAccess;
  /** For users without a password: mails a link to choose one. */
  readonly mailPassword?: (email: string) => Promise<Result<unknown>>;
  /** For users with a password. */
  readonly secondFactor?: SecondFactor;
  /**
   * Ways to confirm the user's identity. After one of them, an action that was rejected with
   * CONFIRM_IDENTITY succeeds.
   */
  readonly confirm?: {
    readonly byPassword?: (password: string) => Promise<Result<unknown>>;
    readonly byPasskey?: () => Promise<Result<unknown>>;
    /** The label of the button that signs in again at the provider. */
    readonly elsewhere?: string;
  };
  /** The page where the provider keeps the account. */
  readonly elsewhere?: string;
}

export interface Session {
  /**
   * Fetches the signed-in user; undefined when nobody is signed in.
   * @throws FixpointError FETCH, HTTP
   */
  user(): Promise<SessionUser | undefined>;
  /**
   * Returns an identity token for the admin API, valid for a limited time; undefined when nobody is
   * signed in. @throws FixpointError FETCH, HTTP
   */
  auth(): Promise<Auth | undefined>;
  /** Forgets the token, so that the next call creates a new one. */
  forgetToken(): void;
  /** Returns the available sign-in methods. @throws FixpointError FETCH, CONFIG_INVALID */
  ways(): Promise<SignInWays>;
  signIn(email: string, password: string): Promise<Attempt>;
  signUp(given: SignUp): Promise<Attempt>;
  /** Signs in with the code that the last attempt requires. */
  signInByCode(code: string): Promise<Attempt>;
  signInByPasskey(): Promise<Attempt>;
  /**
   * Signs in on the provider's own page, which leads back to a page of the console. `choice` is for
   * users who create an account there.
   */
  signInElsewhere(backTo: string, choice?: SignUpChoice): Promise<Attempt>;
  /**
   * Mails a link. Like the next three methods, returns the provider's rejection as a text for the
   * form, and undefined on success.
   */
  mailLink(kind: 'sign-in' | 'new-password', email: string, backTo: string): Promise<string | undefined>;
  /** Sets a new password with the secret from a mailed link. */
  choosePassword(secret: string, password: string): Promise<string | undefined>;
  signOut(): Promise<string | undefined>;
  /** Mails the verification link again. The link leads back to the console. */
  sendVerification(email: string): Promise<string | undefined>;
  account(): Promise<Account>;
}

export interface SessionParts {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}
