/** Who is signed in, whoever vouches for people here: the server says which provider that is, and each provider has an adapter in `identity/`. */
import type { Result } from '@fixpoint/protocol';
import type { Auth } from '@fixpoint/protocol/admin';
import { failureText } from './failure-text.ts';
import { builtInSession } from './identity/built-in.ts';
import { type ProviderConfig, readProvider } from './identity/read-provider.ts';

export interface SessionUser {
  readonly name: string;
  readonly email: string;
  /** Whether he proved that the address is his; invites by email wait for it. */
  readonly emailVerified: boolean;
}

/** What a new account is made with, whoever vouches for it (spec §2). */
export interface SignUpChoice {
  readonly emailOptIn: boolean;
  readonly adClickId?: string;
}

export interface SignUp extends SignUpChoice {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/** What the sign-in pages offer. */
export interface SignInWays {
  readonly password: boolean;
  /** A link that signs in, or by which a new password is chosen, can be mailed. */
  readonly mailedLink: boolean;
  readonly passkey: boolean;
  /** The provider has a page of its own; the words on the button that leads there. */
  readonly elsewhere: string | undefined;
}

/** What came of an attempt to come in. */
export type Attempt =
  | { readonly is: 'done' }
  | { readonly is: 'refused'; readonly why: string }
  /** A code is to be typed: one that was mailed, or one that an app shows. */
  | { readonly is: 'code'; readonly from: 'mail' | 'app' }
  /** The browser is on its way to the provider's page. */
  | { readonly is: 'leaving' };

/** One browser or device in which somebody is signed in. */
export interface OpenSession {
  readonly id: string;
  /** When it was last seen, ISO text; to within a day. */
  readonly updatedAt: string;
  readonly createdAt: string;
  readonly ipAddress?: string | undefined;
  readonly userAgent?: string | undefined;
  /** Whether it is this one. */
  readonly current: boolean;
}

export interface Passkey {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly createdAt?: string | null | undefined;
}

/** A code of an app, which is asked for beside the password. */
export interface SecondFactor {
  isOn(): Promise<Result<boolean>>;
  /** What the app is to be given, and codes for when it is lost; it is on with the first code that is right. */
  begin(
    password: string,
  ): Promise<Result<{ readonly totpURI: string; readonly backupCodes: readonly string[] }>>;
  finish(code: string): Promise<Result<unknown>>;
  newBackupCodes(password: string): Promise<Result<{ readonly backupCodes: readonly string[] }>>;
  turnOff(password: string): Promise<Result<unknown>>;
}

/** What ends beside the sessions: nothing, programs and devices that signed in with a code, or API tokens too. */
export type EndedAccess = 'keep' | 'devices' | 'all';

/** What the account page offers; what a provider does not give is undefined. */
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
  /** All other sessions end with it. */
  readonly changePassword?: (current: string, next: string, access: EndedAccess) => Promise<Result<unknown>>;
  /** What the server ends beside the sessions unless it is told; undefined for nothing. */
  readonly signOutEnds?: EndedAccess;
  /** For who has no password: mails a link by which one is chosen. */
  readonly mailPassword?: (email: string) => Promise<Result<unknown>>;
  /** Of who has a password. */
  readonly secondFactor?: SecondFactor;
  /** What is refused with CONFIRM_IDENTITY goes on after one of these. */
  readonly confirm?: {
    readonly byPassword?: (password: string) => Promise<Result<unknown>>;
    readonly byPasskey?: () => Promise<Result<unknown>>;
    /** Signing in again at the provider; the words on its button. */
    readonly elsewhere?: string;
  };
  /** Where the provider keeps the account. */
  readonly elsewhere?: string;
}

export interface Session {
  /** Who is signed in, asked anew; undefined for nobody. @throws FixpointError FETCH, HTTP */
  user(): Promise<SessionUser | undefined>;
  /** An identity token for the admin API that lasts a while; undefined when nobody is signed in. @throws FixpointError FETCH, HTTP */
  auth(): Promise<Auth | undefined>;
  /** The next token is made anew. */
  forgetToken(): void;
  /** @throws FixpointError FETCH, CONFIG_INVALID */
  ways(): Promise<SignInWays>;
  signIn(email: string, password: string): Promise<Attempt>;
  signUp(given: SignUp): Promise<Attempt>;
  /** With the code that the last attempt asked for. */
  signInByCode(code: string): Promise<Attempt>;
  signInByPasskey(): Promise<Attempt>;
  /** By the provider's own page, which leads back to a page of the console. Who is new there has chosen before. */
  signInElsewhere(backTo: string, choice?: SignUpChoice): Promise<Attempt>;
  /** The following give what the provider refused, as a text for the form; undefined when it is done. */
  mailLink(kind: 'sign-in' | 'new-password', email: string, backTo: string): Promise<string | undefined>;
  /** With the secret of a mailed link. */
  choosePassword(secret: string, password: string): Promise<string | undefined>;
  signOut(): Promise<string | undefined>;
  /** Mails the link that verifies the address once more; it leads back to the console. */
  sendVerification(email: string): Promise<string | undefined>;
  account(): Promise<Account>;
}

export interface SessionParts {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}

/** Asks the server once who vouches for people here; what cannot be learned is asked again with the next call. */
export function createSession(parts: SessionParts): Session {
  let asked: Promise<Session> | undefined;
  const provider = (): Promise<Session> => {
    asked ??= readProvider(parts.fetch)
      .then((config) => adapterFor(config, parts))
      .catch((cause) => {
        asked = undefined;
        throw cause;
      });
    return asked;
  };
  const attempt = (run: (session: Session) => Promise<Attempt>) =>
    provider()
      .then(run)
      .catch((cause): Attempt => ({ is: 'refused', why: failureText(cause) }));
  const done = (run: (session: Session) => Promise<string | undefined>) =>
    provider().then(run).catch(failureText);
  // It is needed by every page that shows who is signed in: asked while the page is still on its way.
  provider().catch(() => undefined);
  return {
    user: async () => (await provider()).user(),
    auth: async () => (await provider()).auth(),
    forgetToken: () => void asked?.then((session) => session.forgetToken()).catch(() => undefined),
    ways: async () => (await provider()).ways(),
    account: async () => (await provider()).account(),
    signIn: (email, password) => attempt((session) => session.signIn(email, password)),
    signUp: (given) => attempt((session) => session.signUp(given)),
    signInByCode: (code) => attempt((session) => session.signInByCode(code)),
    signInByPasskey: () => attempt((session) => session.signInByPasskey()),
    signInElsewhere: (backTo, choice) => attempt((session) => session.signInElsewhere(backTo, choice)),
    mailLink: (kind, email, backTo) => done((session) => session.mailLink(kind, email, backTo)),
    choosePassword: (secret, password) => done((session) => session.choosePassword(secret, password)),
    signOut: () => done((session) => session.signOut()),
    sendVerification: (email) => done((session) => session.sendVerification(email)),
  };
}

async function adapterFor(config: ProviderConfig, parts: SessionParts): Promise<Session> {
  if (config.kind !== 'clerk') return builtInSession(parts, config);
  const { clerkSession } = await import('./identity/clerk.ts');
  return clerkSession(config);
}
