/** Lists the people who use this server, for its operators. */
import type { Connection } from '../connection.ts';
import { contains, type ListPart } from './tenant-list.ts';

/** `waiting`: on the waitlist. */
type ListedStatus = 'active' | 'banned' | 'waiting';

/**
 * Returns people who sign in at this server, newest first, one row for each user. Doesn't return
 * the users whom applications bring along.
 */
export async function listPeople(
  db: Connection,
  { search, status, after, limit }: ListPart & { readonly status?: ListedStatus | undefined },
) {
  let query = db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .leftJoin('Operators', 'Operators.userId', 'Users.userId')
    .select(['Users.userId', 'Users.status', 'Users.statusReason', 'Users.maxTenants', 'Users.createdAt'])
    .select(({ fn }) => [
      fn.min('UserByProviders.queryEmail').as('email'),
      fn.min('UserByProviders.queryProvider').as('provider'),
      fn.max('UserByProviders.used').as('usedAt'),
      fn.min('Operators.createdAt').as('operatorSince'),
    ])
    .select((eb) =>
      eb
        .selectFrom('Tenants')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('Tenants.ownerUserId', '=', 'Users.userId')
        .as('ownedTenants'),
    )
    .groupBy(['Users.userId', 'Users.status', 'Users.statusReason', 'Users.maxTenants', 'Users.createdAt']);
  if (search)
    query = query.where((eb) =>
      eb.or([eb('Users.userId', '=', search), contains(eb.ref('UserByProviders.queryEmail'), search)]),
    );
  if (status !== undefined)
    query = query.where('Users.status', '=', status === 'waiting' ? 'inactive' : status);
  if (after !== undefined) {
    const last = await createdAtOf(db, after);
    if (last === undefined) return [];
    query = query.where((eb) =>
      eb.or([
        eb('Users.createdAt', '<', last),
        eb.and([eb('Users.createdAt', '=', last), eb('Users.userId', '<', after)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('Users.createdAt', 'desc')
    .orderBy('Users.userId', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ ownedTenants, ...row }) => ({ ...row, ownedTenants: Number(ownedTenants) }));
}

async function createdAtOf(db: Connection, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('Users')
    .select('createdAt')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.createdAt;
}

/** Returns one address of each of these users, by their ids. */
export async function addressesOf(
  db: Connection,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('UserByProviders')
    .select('userId')
    .select(({ fn }) => fn.min('queryEmail').as('email'))
    .where('userId', 'in', userIds)
    .groupBy('userId')
    .execute();
  return new Map(rows.flatMap(({ userId, email }) => (email === null ? [] : [[userId, email]])));
}

/** Sets how many tenants a user may own. Returns whether the user exists. */
export async function setMaxTenants(
  db: Connection,
  userId: string,
  maxTenants: number,
  at: string,
): Promise<boolean> {
  const row = await db
    .updateTable('Users')
    .set({ maxTenants, updatedAt: at })
    .where('userId', '=', userId)
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}
