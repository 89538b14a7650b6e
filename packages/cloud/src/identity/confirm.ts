/**
 * Who sits before the page. A session is good for days; what changes how somebody signs in, or ends what others began, needs somebody who signed in or said his
 * password a moment ago. And every session ends one day, used or not.
 */
import { FixpointError } from '@fixpoint/protocol';
import { sentIn } from './end-access.ts';
import { DELETE_ROUTE, REGISTER_OPTIONS_ROUTE, REGISTER_ROUTE } from './passkeys.ts';

export const CONFIRM_ROUTE = '/auth/confirm';
/** Whether there is a password to say, and to change. */
export const ACCOUNT_ROUTE = '/auth/account';
/** Somebody who signed in or confirmed longer ago than this is asked again. */
export const CONFIRMED_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** Routes that add or take away a way to sign in. */
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
  /** Whether two factors were shown. */
  readonly strong?: boolean | null | undefined;
}

export interface ConfirmParts {
  /** The session of the request's cookie. */
  readSession(headers: Headers): Promise<OwnSession | undefined>;
  endSession(token: string): Promise<unknown>;
  markConfirmed(token: string, at: Date): Promise<unknown>;
  /** Whether it is the password of who is signed in. */
  isPassword(headers: Headers, password: string): Promise<boolean>;
  hasPassword(userId: string): Promise<boolean>;
  hasAnyFactor(userId: string): Promise<boolean>;
  hasVerifiedAddress(userId: string): Promise<boolean>;
  readonly sessionDaysMax: number;
  readonly now: () => number;
}

export interface Confirm {
  /** The session of the request; one that is too old is ended, and then there is none. */
  own(request: Request): Promise<OwnSession | undefined>;
  /** @throws FixpointError NOT_SIGNED_IN, CONFIRM_IDENTITY, FORBIDDEN, SECOND_FACTOR_NEEDED for a route that needs more than a session */
  requireFor(pathname: string, own: OwnSession | undefined): Promise<void>;
  /** Answers whether there is a password, and takes it when somebody says it again; undefined for other routes. */
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
      // Else who typed the address of somebody else could lock its owner out.
      if (!(await parts.hasVerifiedAddress(own.userId)))
        throw new FixpointError('FORBIDDEN', 'verify your address first');
      // Else who knows the password alone could put a factor of his own beside that of the owner.
      if (own.strong !== true && (await parts.hasAnyFactor(own.userId)))
        throw new FixpointError('SECOND_FACTOR_NEEDED');
    },
    handle: async (request, own) => {
      const { pathname } = new URL(request.url);
      if (pathname !== CONFIRM_ROUTE && pathname !== ACCOUNT_ROUTE) return undefined;
      if (own === undefined) throw new FixpointError('NOT_SIGNED_IN');
      if (pathname === ACCOUNT_ROUTE) return Response.json({ password: await parts.hasPassword(own.userId) });
      const { password } = await sentIn(request);
      if (typeof password !== 'string') throw new FixpointError('REQUEST_INVALID', 'password');
      if (!(await parts.hasPassword(own.userId)))
        throw new FixpointError('CONFLICT', 'there is no password: sign in again');
      if (!(await parts.isPassword(request.headers, password)))
        throw new FixpointError('NOT_SIGNED_IN', 'wrong password');
      await parts.markConfirmed(own.token, new Date(now()));
      return Response.json({ confirmed: true });
    },
  };
}

/** @throws FixpointError CONFIRM_IDENTITY unless he signed in, or said his password, a moment ago */
export function requireRecent({ createdAt, confirmedAt }: OwnSession, now: number): void {
  const last = Math.max(createdAt.getTime(), confirmedAt?.getTime() ?? 0);
  if (now - last > CONFIRMED_MS) throw new FixpointError('CONFIRM_IDENTITY');
}
