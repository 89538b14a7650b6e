import { FixpointError } from '@fixpoint/protocol';
import type { Member, UserTenant } from '@fixpoint/protocol/admin';
import { requireAdmin, requireMember } from '../rights/rights.ts';
import type { Connection } from '../tables/database.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { Tenants } from '../tables/schema.ts';
import type { Handler } from './handler.ts';

export async function tenantsOf(db: Connection, userId: string): Promise<UserTenant[]> {
  const rows = await db
    .selectFrom('TenantUsers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'TenantUsers.tenantId')
    .select([
      'TenantUsers.tenantId as tenantId',
      'TenantUsers.role as role',
      'TenantUsers.default as isDefault',
      'TenantUsers.name as userName',
      'Tenants.name as tenantName',
      'Tenants.status as tenantStatus',
    ])
    .where('TenantUsers.userId', '=', userId)
    .where('TenantUsers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .orderBy('TenantUsers.createdAt')
    .execute();
  return Promise.all(
    rows.map(async ({ tenantId, role, isDefault, userName, tenantName, tenantStatus }) => ({
      tenantId,
      role: role === 'admin' ? ('admin' as const) : ('member' as const),
      default: Number(isDefault) === 1,
      user: { ...(userName === null ? {} : { name: userName }), status: 'active' },
      tenant: { name: tenantName, status: tenantStatus },
      ...(role === 'admin' ? { members: await membersOf(db, tenantId) } : {}),
    })),
  );
}

async function membersOf(db: Connection, tenantId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('TenantUsers')
    .leftJoin('UserByProviders', 'UserByProviders.userId', 'TenantUsers.userId')
    .select([
      'TenantUsers.userId as userId',
      'TenantUsers.role as role',
      'UserByProviders.queryEmail as email',
    ])
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .orderBy('TenantUsers.createdAt')
    .execute();
  return rows.map(({ userId, role, email }) => ({
    userId,
    role: role === 'admin' ? 'admin' : 'member',
    ...(email === null ? {} : { email }),
  }));
}

/** The creator becomes owner and first admin. The update takes the user's row first, so that creates of one user go one after another (S6). */
export const createTenant: Handler<'reqCreateTenant'> = {
  user: 'known',
  run: async ({ db, caller, now }, { tenant: { name } }) => {
    const at = timestamp(now);
    await db.updateTable('Users').set({ updatedAt: at }).where('userId', '=', caller.userId).execute();
    const { owned } = await db
      .selectFrom('Tenants')
      .select(({ fn }) => fn.countAll<number>().as('owned'))
      .where('ownerUserId', '=', caller.userId)
      .where('status', '=', 'active')
      .executeTakeFirstOrThrow();
    if (Number(owned) >= caller.maxTenants)
      throw new FixpointError('LIMIT_REACHED', `${caller.maxTenants} tenants`);
    const tenantId = newId();
    const tenant = await db
      .insertInto('Tenants')
      .values({ tenantId, name, ownerUserId: caller.userId, createdAt: at, updatedAt: at } as Tenants)
      .returningAll()
      .executeTakeFirstOrThrow();
    await addMember(db, { tenantId, userId: caller.userId, role: 'admin', now });
    return { tenant };
  },
};

export async function addMember(
  db: Connection,
  { tenantId, userId, role, now }: { tenantId: string; userId: string; role: string; now: number },
): Promise<void> {
  const at = timestamp(now);
  await db
    .insertInto('TenantUsers')
    .values({
      tenantId,
      userId,
      name: null,
      role,
      status: 'active',
      statusReason: 'just created',
      default: 0,
      createdAt: at,
      updatedAt: at,
    })
    .onConflict((conflict) => conflict.columns(['tenantId', 'userId']).doNothing())
    .execute();
}

export const updateTenant: Handler<'reqUpdateTenant'> = {
  user: 'known',
  run: async ({ db, caller, now }, { tenant: { tenantId, name } }) => {
    await requireAdmin(db, caller.userId, tenantId);
    const tenant = await db
      .updateTable('Tenants')
      .set({ name, updatedAt: timestamp(now) })
      .where('tenantId', '=', tenantId)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { tenant };
  },
};

/** Ends the tenant with its ledgers, members and invites. */
export const deleteTenant: Handler<'reqDeleteTenant'> = {
  user: 'known',
  run: async ({ db, caller }, { tenantId }) => {
    await requireAdmin(db, caller.userId, tenantId);
    const ledgers = await db
      .selectFrom('Ledgers')
      .select('ledgerId')
      .where('tenantId', '=', tenantId)
      .execute();
    await removeLedgers(
      db,
      ledgers.map(({ ledgerId }) => ledgerId),
    );
    await db.deleteFrom('InviteTickets').where('invitedTenantId', '=', tenantId).execute();
    await db.deleteFrom('TenantUsers').where('tenantId', '=', tenantId).execute();
    await db.deleteFrom('Tenants').where('tenantId', '=', tenantId).execute();
    return { tenantId };
  },
};

export async function removeLedgers(db: Connection, ledgerIds: readonly string[]): Promise<void> {
  if (ledgerIds.length === 0) return;
  for (const table of ['Metas', 'LedgerKeys', 'LedgerUsers'] as const)
    await db.deleteFrom(table).where('ledgerId', 'in', ledgerIds).execute();
  await db.deleteFrom('InviteTickets').where('invitedLedgerId', 'in', ledgerIds).execute();
  await db.deleteFrom('Ledgers').where('ledgerId', 'in', ledgerIds).execute();
}

export const listTenantsByUser: Handler<'reqListTenantsByUser'> = {
  user: 'known',
  run: async ({ db, caller }) => ({ userId: caller.userId, tenants: await tenantsOf(db, caller.userId) }),
};

/** Admins change roles; everybody changes the own name and default. The last admin stays one. */
export const updateUserTenant: Handler<'reqUpdateUserTenant'> = {
  user: 'known',
  run: async ({ db, caller, now }, { tenantId, userId = caller.userId, role, name, default: isDefault }) => {
    if (userId !== caller.userId || role !== undefined) await requireAdmin(db, caller.userId, tenantId);
    const before = await requireMember(db, userId, tenantId);
    if (before.role === 'admin' && role === 'member') await requireOtherAdmin(db, tenantId, userId);
    const own = {
      updatedAt: timestamp(now),
      ...(role && { role }),
      ...(name && { name }),
      ...(isDefault && { default: 1 }),
    };
    if (isDefault)
      await db.updateTable('TenantUsers').set({ default: 0 }).where('userId', '=', userId).execute();
    const row = await db
      .updateTable('TenantUsers')
      .set(own)
      .where('tenantId', '=', tenantId)
      .where('userId', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow();
    return {
      tenantId,
      userId,
      role: row.role === 'admin' ? ('admin' as const) : ('member' as const),
      default: Number(row.default) === 1,
    };
  },
};

async function requireOtherAdmin(db: Connection, tenantId: string, userId: string): Promise<void> {
  const other = await db
    .selectFrom('TenantUsers')
    .select('userId')
    .where('tenantId', '=', tenantId)
    .where('role', '=', 'admin')
    .where('userId', '!=', userId)
    .executeTakeFirst();
  if (other === undefined) throw new FixpointError('CONFLICT', 'a tenant needs an admin');
}
