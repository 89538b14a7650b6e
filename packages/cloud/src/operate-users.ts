/**
 * Commands that let an operator change users while a server runs. A command takes effect within
 * seconds, because the server reads rights and sessions from the tables.
 */
import { FixpointError } from '@fixpoint/protocol';
import { sql } from 'kysely';
import type { CloudConfig } from './config.ts';
import {
  changeUser,
  existingTables,
  type KnownUser,
  requireChangeable,
  type UserAction,
} from './identity/change-user.ts';
import { recordCommand, withTables } from './operate-tables.ts';
import { listAllUsers } from './tables/accounts/user-rows.ts';
import { inTransaction } from './tables/connection.ts';
import { timestamp } from './tables/new-row.ts';
import { SERVER } from './tables/tenants/audit-records.ts';

export async function knownUsers(config: CloudConfig): Promise<KnownUser[]> {
  return withTables(config, (db) => listAllUsers(db));
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
      const existing = await existingTables(tx);
      for (const user of chosen) requireChangeable(user, action, existing);
      const how = { at: timestamp(Date.now()), usersMax: config.applicationUsersPerTenant };
      for (const user of chosen) await changeUser(tx, user, action, existing, how);
      // Also ends the sessions of people who have an account but never opened the product.
      if (action === 'sign-out' && wanted === undefined && existing.has('session'))
        await sql`delete from session`.execute(tx);
      if (wanted === undefined) await recordCommand(tx, `users ${action} --all`, SERVER, {});
      // A user with several sign-in providers has several rows.
      else
        for (const userId of new Set(chosen.map((user) => user.userId)))
          await recordCommand(tx, 'reqChangeUser', SERVER, { userId, action });
      return chosen;
    }),
  );
}

/**
 * Returns the user with an address or id.
 * @throws FixpointError NOT_FOUND, CONFLICT for an address of several users
 */
export function oneOf(users: readonly KnownUser[], text: string): KnownUser {
  const address = text.trim().toLowerCase();
  const found = users.filter(({ userId, email }) => userId === text || email === address);
  const [user] = found;
  if (user === undefined) throw new FixpointError('NOT_FOUND', text);
  if (new Set(found.map(({ userId }) => userId)).size > 1)
    throw new FixpointError('CONFLICT', `several users have the address ${text}: name one by its id`);
  return user;
}
