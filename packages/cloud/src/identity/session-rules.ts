/** Checks every kind of sign-in before its session is created. */
import { createHash } from 'node:crypto';
import { APIError } from 'better-auth/api';
import { sql } from 'kysely';
import { networksOf } from '../limits/network.ts';
import { getUserByProvider } from '../tables/accounts/user-rows.ts';
import type { Connection, Db } from '../tables/connection.ts';
import { useCode } from '../tables/first-writer-rows.ts';
import { timestamp } from '../tables/new-row.ts';

export const TYPE = 'fixpoint';

/** Sign-in routes that involve two factors. */
const STRONG = [
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/passkey/verify-authentication',
];
/** Routes that replace a session with a new session of the same user. */
const REPLACING = ['/change-password'];
/**
 * Sign-in routes that count as one factor, as a password does. They don't replace the second factor
 * of an account that has one.
 */
const FIRST_STEPS = ['/magic-link/verify', '/callback/:id'];
/** Milliseconds for which a used code is remembered. A code is valid for at most 90 seconds. */
const CODE_MS = 5 * 60_000;

export interface NewSession {
  readonly userId: string;
}
export interface Endpoint {
  readonly path?: string;
  readonly body?: unknown;
  readonly context?: { readonly session?: { readonly session: Record<string, unknown> } | null };
}

/**
 * Returns the hook that the library calls before it creates a session. The hook resolves to the
 * session to create, or to false if no session may be created.
 * @param hasFactors whether accounts can have a second factor here
 * @throws APIError
 */
export function createSessionRules(db: Db, now: () => number, hasFactors: boolean) {
  return async <S extends NewSession>(
    session: S,
    endpoint: Endpoint | null | undefined,
  ): Promise<false | { data: S & { strong: boolean } }> => {
    const path = endpoint?.path ?? '';
    if ((await getUserByProvider(db, TYPE, session.userId))?.status === 'banned')
      throw new APIError('FORBIDDEN', { code: 'FORBIDDEN', message: 'forbidden' });
    // Creates no session. The library redirects the browser with an `error` that says so.
    if (hasFactors && FIRST_STEPS.includes(path) && (await hasSecondFactor(db, session.userId))) return false;
    if (path === '/two-factor/verify-totp') await useOnce(db, now(), session.userId, endpoint?.body);
    const isReplaced = REPLACING.includes(path) && endpoint?.context?.session?.session['strong'] === true;
    return { data: { ...session, strong: STRONG.includes(path) || isReplaced } };
  };
}

/**
 * Requires that a code wasn't used before. The library accepts a valid code repeatedly, so an
 * onlooker could reuse the code.
 */
async function useOnce(db: Db, now: number, userId: string, body: unknown): Promise<void> {
  const { code } = (body ?? {}) as { code?: unknown };
  const hash = createHash('sha256').update(`${userId} ${code}`).digest('hex');
  if (await useCode(db, hash, timestamp(now), timestamp(now - CODE_MS))) return;
  throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
}

/** Returns whether signing in with the password requires a code. */
async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ on: unknown }>`
    select "twoFactorEnabled" as "on" from "user" where id = ${userId}`.execute(db);
  return Boolean(rows[0]?.on);
}

/** Returns whether the account has a factor besides the password. */
export async function hasAnyFactor(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`select id from passkey where "userId" = ${userId} limit 1`.execute(db);
  return rows.length > 0 || hasSecondFactor(db, userId);
}

export async function hasPassword(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from account where "userId" = ${userId} and password is not null limit 1`.execute(db);
  return rows.length > 0;
}

export async function hasVerifiedAddress(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ verified: unknown }>`
    select "emailVerified" as verified from "user" where id = ${userId}`.execute(db);
  return Boolean(rows[0]?.verified);
}

/**
 * Returns the time in milliseconds when the user of a session last signed in or confirmed;
 * undefined for a session that ended.
 */
export async function confirmedTime(db: Connection, id: unknown): Promise<number | undefined> {
  if (typeof id !== 'string') return undefined;
  const { rows } = await sql<{ createdAt: string | Date; confirmedAt: string | Date | null }>`
    select "createdAt", "confirmedAt" from session where id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const timeOf = (at: string | Date | null) => (at === null ? 0 : new Date(at).getTime());
  return Math.max(timeOf(row.createdAt), timeOf(row.confirmedAt));
}

/** Returns whether the session of an identity token is still open. */
export async function isOpenSession(db: Connection, id: unknown): Promise<boolean> {
  if (typeof id !== 'string') return false;
  const { rows } = await sql`select id from session where id = ${id}`.execute(db);
  return rows.length > 0;
}

/** Returns whether the account of an address has a session that began in the network of `ip`. */
export async function isKnownNetwork(db: Db, email: string, ip: string): Promise<boolean> {
  const { rows } = await sql<{ ip: string | null }>`
    select session."ipAddress" as ip from session join "user" on "user".id = session."userId"
    where "user".email = ${email}`.execute(db);
  const { own } = networksOf(ip);
  return rows.some((row) => row.ip !== null && networksOf(row.ip).own === own);
}

/** Returns whether the account of an address requires a code. */
export async function asksForCode(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from "user" where email = ${email.trim().toLowerCase()}`.execute(db);
  return rows[0] !== undefined && hasSecondFactor(db, rows[0].id);
}
