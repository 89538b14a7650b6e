/**
 * Protects an account from people at a page that its owner left open. Sessions are valid for days.
 * So requests that change how a user signs in, or that end other sessions, require that the user
 * recently signed in or confirmed their password. Every session expires after a maximum number of
 * days, even if it is in use.
 */
import { FixpointError } from '@fixpoint/protocol';
import { sentIn } from './end-access.ts';
import { DELETE_ROUTE, REGISTER_OPTIONS_ROUTE, REGISTER_ROUTE } from './passkeys.ts';

const CONFIRM_ROUTE = '/auth/confirm';
/** The route that returns whether the account has a password to confirm and change. */
const ACCOUNT_ROUTE = '/auth/account';
/** Milliseconds after which a sign-in or confirmation must be repeated. */
export const CONFIRMED_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** Routes that add or remove a way to sign in. */
const FACTOR_ROUTES: readonly string[] = [
  REGISTER_OPTIONS_ROUTE,
  REGISTER_ROUTE,
  DELETE_ROUTE,
  '/auth/two-factor/enable',
  '/auth/two-factor/disable',
  '/auth/two-factor/generate-backup-codes',
];

export interface OwnSession {
  readonly token: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly confirmedAt?: Date | null | undefined;
  /** Whether the sign-in used two factors. */
  readonly strong?: boolean | null | undefined;
}

export interface ConfirmParts {
  /** Returns the session of the request's cookie. */
  readSession(headers: Headers): Promise<OwnSession | undefined>;
  endSession(token: string): Promise<unknown>;
  markConfirmed(token: string, at: Date): Promise<unknown>;
  /** Returns whether the password belongs to the signed-in user. */
  isPassword(headers: Headers, password: string): Promise<boolean>;
  hasPassword(userId: string): Promise<boolean>;
  hasAnyFactor(userId: string): Promise<boolean>;
  hasVerifiedAddress(userId: string): Promise<boolean>;
  readonly sessionDaysMax: number;
  readonly now: () => number;
}

export interface Confirm {
  /** Returns the session of the request. Ends a session that is too old, and returns undefined. */
  own(request: Request): Promise<OwnSession | undefined>;
  /**
   * Checks requests to routes that change how a user signs in. Requires a recent sign-in, a
   * verified address, and the second factor of an account that has one.
   * @throws FixpointError NOT_SIGNED_IN, CONFIRM_IDENTITY, FORBIDDEN, SECOND_FACTOR_NEEDED
   */
  requireFor(pathname: string, own: OwnSession | undefined): Promise<void>;
  /**
   * Handles the route that returns whether the account has a password, and the route that confirms
   * a session with the password. Returns undefined for other routes.
   */
  handle(request: Request, own: OwnSession | undefined): Promise<Response | undefined>;
}

export function createConfirm(parts: ConfirmParts): Confirm {
  const { now } = parts;
  return {
    own: async ({ headers }) => {
      if (!headers.has('cookie')) return undefined;
      const session = await parts.readSession(headers);
      if (session === undefined) return undefined;
      if (now() - session.createdAt.getTime() <= parts.sessionDaysMax * DAY_MS) return session;
      await parts.endSession(session.token);
      return undefined;
    },
    requireFor: async (pathname, own) => {
      if (!FACTOR_ROUTES.includes(pathname)) return;
      if (own === undefined) throw new FixpointError('NOT_SIGNED_IN');
      requireRecent(own, now());
      // Otherwise an attacker who typed somebody else's address could lock its owner out.
      if (!(await parts.hasVerifiedAddress(own.userId)))
        throw new FixpointError('FORBIDDEN', 'verify your address first');
      // Otherwise an attacker who knows only the password could add a factor to the owner's
      // account.
      if (own.strong !== true && (await parts.hasAnyFactor(own.userId)))
        throw new FixpointError('SECOND_FACTOR_NEEDED');
    },
    handle: async (request, own) => {
      const { pathname } = new URL(request.url);
      if (pathname !== CONFIRM_ROUTE && pathname !== ACCOUNT_ROUTE) return undefined;
      if (own === undefined) throw new FixpointError('NOT_SIGNED_IN');
      if (pathname === ACCOUNT_ROUTE) return Response.json({ password: await parts.hasPassword(own.userId) });
      const { password } = await sentIn(request);
      if (typeof password !== 'string') throw new FixpointError('REQUEST_INVALID', 'password is required');
      if (!(await parts.hasPassword(own.userId)))
        throw new FixpointError('CONFLICT', 'this account has no password: sign in again');
      if (!(await parts.isPassword(request.headers, password)))
        throw new FixpointError('NOT_SIGNED_IN', 'wrong password');
      await parts.markConfirmed(own.token, new Date(now()));
      return Response.json({ confirmed: true });
    },
  };
}

/**
 * Requires a recent sign-in or confirmation.
 * @throws FixpointError CONFIRM_IDENTITY unless the user signed in, or confirmed the password,
 * within the last 15 minutes
 */
export function requireRecent({ createdAt, confirmedAt }: OwnSession, now: number): void {
  const last = Math.max(createdAt.getTime(), confirmedAt?.getTime() ?? 0);
  if (now - last > CONFIRMED_MS) throw new FixpointError('CONFIRM_IDENTITY');
}
