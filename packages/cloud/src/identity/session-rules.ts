/** What is looked at when somebody is about to be signed in, whatever way he came. */
import { createHash } from 'node:crypto';
import { APIError } from 'better-auth/api';
import { sql } from 'kysely';
import { networksOf } from '../limits/network.ts';
import type { Connection, Db } from '../tables/database.ts';
import { timestamp } from '../tables/new-row.ts';
import { useCode } from '../tables/used-codes.ts';
import { getUserByProvider } from '../tables/users.ts';

export const TYPE = 'fixpoint';

/** Ways of two factors. */
const STRONG = [
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/passkey/verify-authentication',
];
/** What replaces a session by another one of the same person. */
const REPLACING = ['/change-password'];
/** Ways in the password's place: neither what is mailed nor what another provider says is the second factor of this account. */
const FIRST_STEPS = ['/magic-link/verify', '/callback/:id'];
/** A code is right for 90 seconds at most. */
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
 * For the provider's hook: the session as it is to be, or false for none.
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
    // No session: the browser is led on with an `error` that says so.
    if (hasFactors && FIRST_STEPS.includes(path) && (await hasSecondFactor(db, session.userId))) return false;
    if (path === '/two-factor/verify-totp') await useOnce(db, now(), session.userId, endpoint?.body);
    const isReplaced = REPLACING.includes(path) && endpoint?.context?.session?.session['strong'] === true;
    return { data: { ...session, strong: STRONG.includes(path) || isReplaced } };
  };
}

/** The provider takes a code as often as it is right; somebody who looks over a shoulder could use it again. */
async function useOnce(db: Db, now: number, userId: string, body: unknown): Promise<void> {
  const { code } = (body ?? {}) as { code?: unknown };
  const hash = createHash('sha256').update(`${userId} ${code}`).digest('hex');
  if (await useCode(db, hash, timestamp(now), timestamp(now - CODE_MS))) return;
  throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
}

/** Whether signing in with the password asks for a code. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ on: unknown }>`
    select "twoFactorEnabled" as "on" from "user" where id = ${userId}`.execute(db);
  return Boolean(rows[0]?.on);
}

/** Whether the account has anything beside the password. */
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

/** Milliseconds: when the person of a session last signed in or confirmed; undefined for a session that ended. */
export async function confirmedTime(db: Connection, id: unknown): Promise<number | undefined> {
  if (typeof id !== 'string') return undefined;
  const { rows } = await sql<{ createdAt: string | Date; confirmedAt: string | Date | null }>`
    select "createdAt", "confirmedAt" from session where id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const timeOf = (at: string | Date | null) => (at === null ? 0 : new Date(at).getTime());
  return Math.max(timeOf(row.createdAt), timeOf(row.confirmedAt));
}

/** Whether the session of an identity token goes on. */
export async function isOpenSession(db: Connection, id: unknown): Promise<boolean> {
  if (typeof id !== 'string') return false;
  const { rows } = await sql`select id from session where id = ${id}`.execute(db);
  return rows.length > 0;
}

/** Whether the account of an address has a session that began in the network of `ip`. */
export async function isKnownNetwork(db: Db, email: string, ip: string): Promise<boolean> {
  const { rows } = await sql<{ ip: string | null }>`
    select session."ipAddress" as ip from session join "user" on "user".id = session."userId"
    where "user".email = ${email}`.execute(db);
  const { own } = networksOf(ip);
  return rows.some((row) => row.ip !== null && networksOf(row.ip).own === own);
}

/** Whether the account of an address asks for a code. */
export async function asksForCode(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from "user" where email = ${email.trim().toLowerCase()}`.execute(db);
  return rows[0] !== undefined && hasSecondFactor(db, rows[0].id);
}
