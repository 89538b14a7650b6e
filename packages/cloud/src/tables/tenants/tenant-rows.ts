import { removeApplicationsOf } from '../applications/application-rows.ts';
import type { Connection } from '../connection.ts';
import { removeLedgers } from '../ledgers/ledger-rows.ts';
import type { NewLimits } from '../new-limits.ts';
import { forgetTenantStorage, setQuota } from '../operators/object-sizes.ts';
import type { Tenant } from '../schema.ts';
import { removeApiTokensOf } from './api-token-rows.ts';

/** Counts the tenants that a user owns, whatever their status. */
export async function countTenantsOwnedBy(db: Connection, ownerUserId: string): Promise<number> {
  const { count } = await db
    .selectFrom('Tenants')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('ownerUserId', '=', ownerUserId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertTenant(
  db: Connection,
  tenant: { readonly tenantId: string; readonly name: string; readonly ownerUserId: string },
  { maxAdminUsers, maxMemberUsers, maxInvites, maxLedgers, maxBytes }: NewLimits,
  at: string,
): Promise<Tenant> {
  if (maxBytes !== undefined) await setQuota(db, tenant.tenantId, maxBytes);
  const limits = { maxAdminUsers, maxMemberUsers, maxInvites, maxLedgers };
  return db
    .insertInto('Tenants')
    .values({ ...tenant, ...limits, createdAt: at, updatedAt: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function getTenant(db: Connection, tenantId: string): Promise<Tenant | undefined> {
  return db
    .selectFrom('Tenants')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

/**
 * Locks the tenant's row until the transaction ends, so that rows that the transaction counts can't
 * change (S6). Returns undefined when the tenant was deleted or isn't active.
 */
export async function lockTenant(db: Connection, tenantId: string, at: string): Promise<Tenant | undefined> {
  return db
    .updateTable('Tenants')
    .set({ updatedAt: at })
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst();
}

export async function renameTenant(
  db: Connection,
  tenantId: string,
  name: string,
  at: string,
): Promise<Tenant | undefined> {
  return db
    .updateTable('Tenants')
    .set({ name, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .returningAll()
    .executeTakeFirst();
}

export async function setOwner(
  db: Connection,
  tenantId: string,
  ownerUserId: string,
  at: string,
): Promise<Tenant> {
  return db
    .updateTable('Tenants')
    .set({ ownerUserId, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Removes the tenant with its ledgers, members and invites. */
export async function removeTenant(db: Connection, tenantId: string, at: string): Promise<void> {
  // Locks the row, so that nothing more can be added to the tenant.
  await db.updateTable('Tenants').set({ status: 'inactive' }).where('tenantId', '=', tenantId).execute();
  const ledgers = await db
    .selectFrom('Ledgers')
    .select(['tenantId', 'ledgerId'])
    .where('tenantId', '=', tenantId)
    .execute();
  await removeLedgers(db, ledgers, at);
  await forgetTenantStorage(db, tenantId);
  await db.deleteFrom('InviteTickets').where('invitedTenantId', '=', tenantId).execute();
  await removeApiTokensOf(db, tenantId);
  await removeApplicationsOf(db, tenantId, at);
  await db.deleteFrom('OrganizationTenants').where('tenantId', '=', tenantId).execute();
  await db.deleteFrom('TenantUsers').where('tenantId', '=', tenantId).execute();
  await db.deleteFrom('EndedAccess').where('tenantId', '=', tenantId).execute();
  await db.deleteFrom('Tenants').where('tenantId', '=', tenantId).execute();
}
