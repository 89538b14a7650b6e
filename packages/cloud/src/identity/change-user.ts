/** Changes that operators make to users, in requests and in commands. */
import { FixpointError } from '@fixpoint/protocol';
import { sql } from 'kysely';
import { removeLoginCodes } from '../tables/accounts/login-codes.ts';
import { putSignOut } from '../tables/accounts/sign-outs.ts';
import { type listAllUsers, OF_APPLICATION, setUserStatus } from '../tables/accounts/user-rows.ts';
import { removeApplicationSessionsOf } from '../tables/applications/application-session-rows.ts';
import {
  getApplicationUserById,
  readmit,
  removeApplicationUser,
  requireUserRoom,
} from '../tables/applications/application-user-rows.ts';
import type { Connection } from '../tables/connection.ts';
import { removeDeviceTokens } from '../tables/tenants/api-token-rows.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { TYPE } from './session-rules.ts';

export type KnownUser = Awaited<ReturnType<typeof listAllUsers>>[number];

/**
 * `ban` locks a user out and ends all sessions; `unban` lets them sign in again; `sign-out` ends
 * all sessions and signed-in devices; `reset-factors` removes the passkeys and the second factor of
 * a user who lost them, and ends all sessions. `remove` and `readmit` are for the own users of
 * applications: a removed user stays out until somebody readmits them.
 */
export const USER_ACTIONS = ['ban', 'unban', 'sign-out', 'reset-factors', 'remove', 'readmit'] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

export interface HowToChange {
  readonly at: string;
  /** Users whom the applications of a tenant may bring along. */
  readonly usersMax: number;
}

/**
 * Returns the names of all tables. The tables of the identity library don't exist before a server
 * has run. Its tables of factors don't exist if only another provider signs people in.
 */
export async function existingTables(db: Connection): Promise<ReadonlySet<string>> {
  return new Set((await db.introspection.getTables()).map(({ name }) => name));
}

/**
 * Changes a user.
 * @param existing see {@link existingTables}
 * @throws FixpointError REQUEST_INVALID for factors that another provider stores, and for removing
 * a person who signs in by themselves, LIMIT_REACHED for readmitting more users than a tenant may
 * have
 */
export async function changeUser(
  db: Connection,
  user: KnownUser,
  action: UserAction,
  existing: ReadonlySet<string>,
  { at, usersMax }: HowToChange,
): Promise<void> {
  requireChangeable(user, action, existing);
  const { userId, provider, providerUserId } = user;
  if (action === 'ban') {
    await setUserStatus(db, userId, 'banned', 'by an operator', at);
    // Unlike API tokens, which work again after `unban`, sessions end.
    await removeApplicationSessionsOf(db, userId);
  }
  if (action === 'unban') await setUserStatus(db, userId, 'active', 'unbanned', at);
  if (action === 'remove' || action === 'readmit') await changeOwnUser(db, userId, action, at, usersMax);
  if (action === 'sign-out') {
    await removeDeviceTokens(db, userId);
    await removeLoginCodes(db, userId);
    await putSignOut(db, userId, at);
  }
  // Other providers keep sessions and factors themselves.
  if (provider !== TYPE || !existing.has('session')) return;
  if (action === 'reset-factors') {
    await resetFactors(db, providerUserId);
    // Somebody else may have begun them with the lost factor.
    await removeApplicationSessionsOf(db, userId);
  }
  if (action !== 'unban') await sql`delete from session where "userId" = ${providerUserId}`.execute(db);
}

/** @throws FixpointError REQUEST_INVALID */
export function requireChangeable(user: KnownUser, action: UserAction, existing: ReadonlySet<string>): void {
  const { provider, email, userId } = user;
  const isOwn = provider === TYPE && existing.has('passkey') && existing.has('twoFactor');
  if (action === 'reset-factors' && !isOwn)
    throw new FixpointError(
      'REQUEST_INVALID',
      `the sign-in provider keeps passkeys and second factors of ${email ?? userId}: reset them there`,
    );
  if ((action === 'remove' || action === 'readmit') && provider !== OF_APPLICATION)
    throw new FixpointError(
      'REQUEST_INVALID',
      `${email ?? userId} isn't a user whom an application signs in: ban them instead`,
    );
}

async function changeOwnUser(
  db: Connection,
  userId: string,
  action: 'remove' | 'readmit',
  at: string,
  usersMax: number,
): Promise<void> {
  const user = await getApplicationUserById(db, userId);
  if (user === undefined) return;
  if (action === 'remove' && user.removedAt === null) await removeApplicationUser(db, userId, at);
  if (action !== 'readmit' || user.removedAt === null) return;
  await lockTenant(db, user.tenantId, at);
  await requireUserRoom(db, user.tenantId, usersMax);
  await readmit(db, user, at);
}

async function resetFactors(db: Connection, id: string): Promise<void> {
  await sql`delete from passkey where "userId" = ${id}`.execute(db);
  await sql`delete from "twoFactor" where "userId" = ${id}`.execute(db);
  await sql`update "user" set "twoFactorEnabled" = null where id = ${id}`.execute(db);
}
