import { activeRights } from '../applications/listed-user-rows.ts';
import type { Connection } from '../connection.ts';
import type { User, UserByProvider } from '../schema.ts';

/** A person as an identity provider knows them. */
export interface ProviderRow {
  readonly userId: string;
  readonly providerUserId: string;
  readonly queryProvider: string;
  /** Trimmed, in lower case. */
  readonly queryEmail: string;
  /** The form in which addresses are searched; see `cleanEmail`. */
  readonly cleanEmail: string;
  /** JSON. */
  readonly params: string;
}

/** Maximum number of ids in one statement. SQLite accepts 32,766 values, PostgreSQL 65,535. */
const IDS_MAX = 10_000;

/** `statusReason` of a user on the waitlist. */
export const WAITING = 'waitlist';

/**
 * Adds a user.
 * @param waits whether the user is on the waitlist until an operator approves them
 */
export async function insertUser(
  db: Connection,
  userId: string,
  maxTenants: number,
  at: string,
  waits = false,
): Promise<User> {
  const standing = waits ? { status: 'inactive', statusReason: WAITING } : {};
  return db
    .insertInto('Users')
    .values({ userId, maxTenants, ...standing, createdAt: at, updatedAt: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns users on the waitlist, longest wait first. */
export async function listWaiting(db: Connection) {
  return db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .select(['Users.userId', 'UserByProviders.queryEmail as email', 'Users.createdAt as since'])
    .where('Users.status', '=', 'inactive')
    .where('Users.statusReason', '=', WAITING)
    .orderBy('Users.createdAt')
    .orderBy('Users.userId')
    .execute();
}

/** Approves a user on the waitlist; returns whether the user was waiting. */
export async function approveWaiting(db: Connection, userId: string, at: string): Promise<boolean> {
  const row = await db
    .updateTable('Users')
    .set({ status: 'active', statusReason: 'approved', updatedAt: at })
    .where('userId', '=', userId)
    .where('status', '=', 'inactive')
    .where('statusReason', '=', WAITING)
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the user with this id at this provider, whatever their status. The same id at another
 * provider belongs to a different person.
 */
export async function getUserByProvider(
  db: Connection,
  queryProvider: string,
  providerUserId: string,
): Promise<User | undefined> {
  return db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .selectAll('Users')
    .where('UserByProviders.queryProvider', '=', queryProvider)
    .where('UserByProviders.providerUserId', '=', providerUserId)
    .executeTakeFirst();
}

/**
 * Locks the user's row until the transaction ends, so that rows that the transaction counts can't
 * change (S6).
 */
export async function lockUser(db: Connection, userId: string, at: string): Promise<void> {
  await db.updateTable('Users').set({ updatedAt: at }).where('userId', '=', userId).execute();
}

/**
 * Adds the row of a user at a provider.
 * @throws an error that `isDuplicate` recognises when the provider's id belongs to a user
 */
export async function insertProvider(db: Connection, row: ProviderRow, at: string): Promise<void> {
  await db
    .insertInto('UserByProviders')
    .values({ ...row, queryNick: null, cleanNick: null, used: at, createdAt: at, updatedAt: at })
    .execute();
}

/**
 * Returns whether the id already belongs to a person at another provider. Ids are unique among all
 * providers (spec §3).
 */
export async function isIdOfOther(
  db: Connection,
  queryProvider: string,
  providerUserId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('UserByProviders')
    .select('userId')
    .where('providerUserId', '=', providerUserId)
    .where('queryProvider', '<>', queryProvider)
    .executeTakeFirst();
  return row !== undefined;
}

/** Updates the row of a user at a provider, because the address can change or be verified. */
export async function updateProvider(db: Connection, row: ProviderRow, at: string): Promise<void> {
  const { queryEmail, cleanEmail, params } = row;
  await db
    .updateTable('UserByProviders')
    .set({ queryEmail, cleanEmail, params, used: at, updatedAt: at })
    .where('userId', '=', row.userId)
    .where('queryProvider', '=', row.queryProvider)
    .where('providerUserId', '=', row.providerUserId)
    .execute();
}

export async function listProviders(db: Connection, userId: string): Promise<UserByProvider[]> {
  return db
    .selectFrom('UserByProviders')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .execute();
}

/** Returns the address of each of these active users, by their ids. */
export async function addressesOfActive(
  db: Connection,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .select('Users.userId')
    .select(({ fn }) => fn.min('UserByProviders.queryEmail').as('address'))
    .where('Users.userId', 'in', userIds)
    .where('Users.status', '=', 'active')
    .groupBy('Users.userId')
    .execute();
  return new Map(rows.flatMap(({ userId, address }) => (address === null ? [] : [[userId, address]])));
}

/**
 * Returns the names that people have at their sign-in providers, by user id. Omits people without a
 * name.
 */
export async function namesAtProviders(
  db: Connection,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < userIds.length; from += IDS_MAX) {
    const rows = await db
      .selectFrom('UserByProviders')
      .select(['userId', 'params'])
      .where('userId', 'in', userIds.slice(from, from + IDS_MAX))
      .orderBy('createdAt', 'desc')
      .execute();
    // The oldest row comes last, so its name overwrites newer ones.
    for (const { userId, params } of rows) {
      const { name } = JSON.parse(params) as { readonly name?: string | null };
      if (name) names.set(userId, name);
    }
  }
  return names;
}

export async function getActiveUser(db: Connection, userId: string): Promise<User | undefined> {
  return db
    .selectFrom('Users')
    .selectAll()
    .where('userId', '=', userId)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

export async function isActiveUser(db: Connection, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('Users')
    .select('userId')
    .where('userId', '=', userId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns ids of active users with exactly this address. */
export async function findUserIdsByEmail(db: Connection, queryEmail: string): Promise<string[]> {
  const rows = await db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .select('Users.userId')
    .distinct()
    .where('Users.status', '=', 'active')
    .where('UserByProviders.queryEmail', '=', queryEmail)
    .limit(10)
    .execute();
  return rows.map(({ userId }) => userId);
}

/** The provider of users whom applications bring along. */
export const OF_APPLICATION = 'application';

/**
 * Returns all users, as each provider knows them, oldest first; and then the users whom
 * applications bring along, with facts about these in `own`.
 * @param userId returns only the rows of this user
 */
export async function listAllUsers(db: Connection, userId?: string) {
  const people = await db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .select([
      'Users.userId',
      'Users.status',
      'Users.statusReason',
      'UserByProviders.queryEmail as email',
      'UserByProviders.queryProvider as provider',
      'UserByProviders.providerUserId',
      'Users.createdAt as since',
    ])
    .$if(userId !== undefined, (query) => query.where('Users.userId', '=', userId ?? ''))
    .orderBy('Users.createdAt')
    .orderBy('Users.userId')
    .execute();
  const ofApplications = await db
    .selectFrom('Users')
    .innerJoin('ApplicationUsers', 'ApplicationUsers.userId', 'Users.userId')
    .innerJoin('Applications', 'Applications.applicationId', 'ApplicationUsers.applicationId')
    .select([
      'Users.userId',
      'Users.status',
      'Users.statusReason',
      'ApplicationUsers.subject as providerUserId',
      'ApplicationUsers.removedAt',
      'ApplicationUsers.lastSignInAt',
      'Applications.name as application',
      'Users.createdAt as since',
    ])
    .select(activeRights)
    .$if(userId !== undefined, (query) => query.where('Users.userId', '=', userId ?? ''))
    .orderBy('Users.createdAt')
    .orderBy('Users.userId')
    .execute();
  // Without the address: an operator must not ban somebody by an address that nobody verified.
  const others = ofApplications.map(({ removedAt, application, lastSignInAt, rights, ...row }) => ({
    ...row,
    // A removed user may also be banned, which the operator decided.
    ...(removedAt !== null && row.status !== 'banned' && { status: 'removed' as const }),
    ...{ email: null, provider: OF_APPLICATION },
    own: { application, lastSignInAt, rights: Number(rights) },
  }));
  return [...people.map((row) => ({ ...row, own: undefined })), ...others];
}

export async function setUserStatus(
  db: Connection,
  userId: string,
  status: 'active' | 'banned',
  statusReason: string,
  at: string,
): Promise<void> {
  await db
    .updateTable('Users')
    .set({ status, statusReason, updatedAt: at })
    .where('userId', '=', userId)
    .execute();
}
