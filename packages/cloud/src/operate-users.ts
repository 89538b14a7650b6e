/**
 * Commands that let an operator change users while a server runs. A command takes effect within
 * seconds, because the server reads rights and sessions from the tables.
 */
import { FixpointError } from '@fixpoint/protocol';
import { sql } from 'kysely';
import type { CloudConfig } from './config.ts';
import { TYPE } from './identity/session-rules.ts';
import { openToChange } from './operate-tables.ts';
import { removeLoginCodes } from './tables/accounts/login-codes.ts';
import { putSignOut } from './tables/accounts/sign-outs.ts';
import { listAllUsers, OF_APPLICATION, setUserStatus } from './tables/accounts/user-rows.ts';
import { removeApplicationSessionsOf } from './tables/applications/application-session-rows.ts';
import {
  getApplicationUserById,
  readmit,
  removeApplicationUser,
  requireUserRoom,
} from './tables/applications/application-user-rows.ts';
import { type Connection, type Db, inTransaction } from './tables/connection.ts';
import { timestamp } from './tables/new-row.ts';
import { removeDeviceTokens } from './tables/tenants/api-token-rows.ts';
import { lockTenant } from './tables/tenants/tenant-rows.ts';

export type KnownUser = Awaited<ReturnType<typeof listAllUsers>>[number];

/**
 * `ban` locks a user out and ends all sessions; `unban` lets them sign in again; `sign-out` ends
 * all sessions and signed-in devices; `reset-factors` removes the passkeys and the second factor of
 * a user who lost them, and ends all sessions. `remove` and `readmit` are for the own users of
 * applications: a removed user stays out until somebody readmits them.
 */
export const USER_ACTIONS = ['ban', 'unban', 'sign-out', 'reset-factors', 'remove', 'readmit'] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

export async function knownUsers(config: CloudConfig): Promise<KnownUser[]> {
  return withTables(config, listAllUsers);
}

/**
 * @param wanted addresses or ids; undefined for all users
 * @throws FixpointError NOT_FOUND for an unknown user, CONFLICT for an address of several users,
 * REQUEST_INVALID for factors that another provider stores, and for removing a person who signs in
 * by themselves, LIMIT_REACHED for readmitting more users than a tenant may have. In these cases,
 * no user is changed
 */
export async function changeUsers(
  config: CloudConfig,
  action: UserAction,
  wanted: readonly string[] | undefined,
): Promise<KnownUser[]> {
  return withTables(config, (db) =>
    inTransaction(db, async (tx) => {
      const all = await listAllUsers(tx);
      const chosen = wanted?.map((text) => oneOf(all, text)) ?? all;
      const own = await ownTables(tx);
      if (action === 'reset-factors') for (const user of chosen) requireOwnFactors(user, own);
      if (action === 'remove' || action === 'readmit') for (const user of chosen) requireOwnUser(user);
      for (const user of chosen) await change(tx, user, action, own, config.applicationUsersPerTenant);
      // Also ends the sessions of people who have an account but never opened the product.
      if (action === 'sign-out' && wanted === undefined && own.has('session'))
        await sql`delete from session`.execute(tx);
      return chosen;
    }),
  );
}

async function withTables<T>(config: CloudConfig, work: (db: Db) => Promise<T>): Promise<T> {
  const { db } = await openToChange(config);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function oneOf(users: readonly KnownUser[], text: string): KnownUser {
  const address = text.trim().toLowerCase();
  const found = users.filter(({ userId, email }) => userId === text || email === address);
  const [user] = found;
  if (user === undefined) throw new FixpointError('NOT_FOUND', text);
  if (new Set(found.map(({ userId }) => userId)).size > 1)
    throw new FixpointError('CONFLICT', `several users have the address ${text}: name one by its id`);
  return user;
}

/**
 * Returns the names of all tables. The tables of the identity library don't exist before a server
 * has run. Its tables of factors don't exist if only another provider signs people in.
 */
async function ownTables(db: Connection): Promise<ReadonlySet<string>> {
  return new Set((await db.introspection.getTables()).map(({ name }) => name));
}

function requireOwnFactors({ provider, email, userId }: KnownUser, own: ReadonlySet<string>): void {
  if (provider === TYPE && own.has('passkey') && own.has('twoFactor')) return;
  throw new FixpointError(
    'REQUEST_INVALID',
    `the sign-in provider keeps passkeys and second factors of ${email ?? userId}: reset them there`,
  );
}

function requireOwnUser({ provider, email, userId }: KnownUser): void {
  if (provider === OF_APPLICATION) return;
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

async function change(
  db: Connection,
  user: KnownUser,
  action: UserAction,
  own: ReadonlySet<string>,
  usersMax: number,
): Promise<void> {
  const at = timestamp(Date.now());
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
  if (provider !== TYPE || !own.has('session')) return;
  if (action === 'reset-factors') {
    await resetFactors(db, providerUserId);
    // Somebody else may have begun them with the lost factor.
    await removeApplicationSessionsOf(db, userId);
  }
  if (action !== 'unban') await sql`delete from session where "userId" = ${providerUserId}`.execute(db);
}

async function resetFactors(db: Connection, id: string): Promise<void> {
  await sql`delete from passkey where "userId" = ${id}`.execute(db);
  await sql`delete from "twoFactor" where "userId" = ${id}`.execute(db);
  await sql`update "user" set "twoFactorEnabled" = null where id = ${id}`.execute(db);
}
