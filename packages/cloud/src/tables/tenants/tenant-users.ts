import type { Connection } from '../connection.ts';
import { endGrants } from '../ledgers/ledger-users.ts';
import type { TenantUser } from '../schema.ts';
import { removeApiTokensOf } from './api-token-rows.ts';

/** The role of users who are in a tenant only because ledgers were shared with them. */
export const GUEST = 'guest';

/** Adds an active member. An existing membership stays unchanged. */
export async function insertMember(
  db: Connection,
  member: {
    readonly tenantId: string;
    readonly userId: string;
    readonly role: string;
    readonly statusReason?: string;
  },
  at: string,
): Promise<void> {
  await db
    .insertInto('TenantUsers')
    .values({ ...member, name: null, createdAt: at, updatedAt: at })
    .onConflict((conflict) => conflict.columns(['tenantId', 'userId']).doNothing())
    .execute();
}

export async function getMember(
  db: Connection,
  tenantId: string,
  userId: string,
): Promise<TenantUser | undefined> {
  return db
    .selectFrom('TenantUsers')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

export async function countMembers(
  db: Connection,
  tenantId: string,
  role: 'admin' | 'member',
): Promise<number> {
  const { count } = await db
    .selectFrom('TenantUsers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'active')
    .where((where) =>
      role === 'admin' ? where('role', '=', 'admin') : where('role', 'not in', ['admin', GUEST]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts the admins who can act, which excludes banned admins. */
export async function countActingAdmins(db: Connection, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('TenantUsers')
    .innerJoin('Users', 'Users.userId', 'TenantUsers.userId')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .where('TenantUsers.role', '=', 'admin')
    .where('Users.status', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function updateMember(
  db: Connection,
  tenantId: string,
  userId: string,
  change: {
    readonly role?: string;
    readonly name?: string;
    readonly default?: number;
    readonly statusReason?: string;
  },
  at: string,
): Promise<TenantUser> {
  return db
    .updateTable('TenantUsers')
    .set({ ...change, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Ends a membership. Keeps the rows that restrict the member in ledgers, because they apply again
 * when the member returns.
 */
export async function removeMember(
  db: Connection,
  tenantId: string,
  userId: string,
  at: string,
): Promise<void> {
  await endGrants(db, tenantId, userId, at);
  await removeApiTokensOf(db, tenantId, userId);
  await db.deleteFrom('TenantUsers').where('tenantId', '=', tenantId).where('userId', '=', userId).execute();
}

export async function clearDefaults(db: Connection, userId: string): Promise<void> {
  await db.updateTable('TenantUsers').set({ default: 0 }).where('userId', '=', userId).execute();
}

/**
 * Returns a user's memberships in active tenants, oldest first, with the columns that lists of
 * tenants show.
 */
export async function listMemberships(db: Connection, userId: string) {
  return db
    .selectFrom('TenantUsers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'TenantUsers.tenantId')
    .selectAll('TenantUsers')
    .select([
      'Tenants.name as tenantName',
      'Tenants.ownerUserId',
      'Tenants.status as tenantStatus',
      'Tenants.statusReason as tenantStatusReason',
      'Tenants.createdAt as tenantCreatedAt',
      'Tenants.updatedAt as tenantUpdatedAt',
      'Tenants.maxAdminUsers',
      'Tenants.maxMemberUsers',
      'Tenants.maxInvites',
      'Tenants.maxLedgers',
    ])
    .where('TenantUsers.userId', '=', userId)
    .where('TenantUsers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .orderBy('TenantUsers.createdAt')
    .orderBy('TenantUsers.tenantId')
    .execute();
}

export type Membership = Awaited<ReturnType<typeof listMemberships>>[number];

/** Returns active members of a tenant except guests, oldest first, with one address each. */
export async function listMembers(db: Connection, tenantId: string) {
  return db
    .selectFrom('TenantUsers')
    .leftJoin('UserByProviders', 'UserByProviders.userId', 'TenantUsers.userId')
    .select(['TenantUsers.userId', 'TenantUsers.role', 'TenantUsers.name', 'TenantUsers.createdAt'])
    .select(({ fn }) => fn.min('UserByProviders.queryEmail').as('email'))
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .where('TenantUsers.role', '!=', GUEST)
    .groupBy(['TenantUsers.userId', 'TenantUsers.role', 'TenantUsers.name', 'TenantUsers.createdAt'])
    .orderBy('TenantUsers.createdAt')
    .orderBy('TenantUsers.userId')
    .execute();
}

/**
 * Returns active members and guests of a tenant, oldest first. Omits banned users, and users whom
 * applications bring along: their names and addresses belong to the application.
 */
export async function listActivePeople(db: Connection, tenantId: string) {
  return db
    .selectFrom('TenantUsers')
    .innerJoin('Users', 'Users.userId', 'TenantUsers.userId')
    .leftJoin('ApplicationUsers', 'ApplicationUsers.userId', 'TenantUsers.userId')
    .select(['TenantUsers.userId', 'TenantUsers.name'])
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .where('Users.status', '=', 'active')
    .where('ApplicationUsers.userId', 'is', null)
    .orderBy('TenantUsers.createdAt')
    .orderBy('TenantUsers.userId')
    .execute();
}
