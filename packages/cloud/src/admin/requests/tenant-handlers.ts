import { FixpointError } from '@fixpoint/protocol';
import { lockUser } from '../../tables/accounts/user-rows.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { usageOf } from '../../tables/operators/object-sizes.ts';
import { usageByDay } from '../../tables/operators/traffic.ts';
import type { Tenant } from '../../tables/schema.ts';
import { listAuditOf } from '../../tables/tenants/audit-records.ts';
import { getOrganizationTenant } from '../../tables/tenants/organization-tenants.ts';
import {
  countTenantsOwnedBy,
  insertTenant,
  lockTenant,
  removeTenant,
  renameTenant,
} from '../../tables/tenants/tenant-rows.ts';
import { getMember, insertMember } from '../../tables/tenants/tenant-users.ts';
import { recordAction } from '../audit.ts';
import type { Handlers, UserContext } from '../handler.ts';
import { describeTenantsOf } from '../parts/describe-tenant.ts';
import { pageOf } from '../parts/page-of.ts';
import { giveTo } from '../parts/transfer-ownership.ts';
import { isInScope } from '../scope.ts';

const AUDIT_PAGE = 100;
const USAGE_DAYS = 30;
const DAY_MS = 86_400_000;

export const tenantHandlers = {
  /** Creates a tenant with the caller as its owner and first admin. */
  reqCreateTenant: {
    run: async (context, { tenant: { name } }) => {
      const { db, caller, now } = context;
      const { userId, maxTenants } = caller;
      const at = timestamp(now);
      await lockUser(db, userId, at);
      if ((await countTenantsOwnedBy(db, userId)) >= maxTenants)
        throw new FixpointError('LIMIT_REACHED', `${maxTenants} tenants`);
      return { tenant: shown(await addTenant(context, { name }, { tenant: { name } })) };
    },
  },
  reqUpdateTenant: {
    target: ({ tenant }) => tenant,
    run: async ({ db, now }, { tenant: { tenantId, name } }) => {
      const tenant = await renameTenant(db, tenantId, name, timestamp(now));
      if (tenant === undefined) throw new FixpointError('NOT_FOUND');
      return { tenant: shown(tenant) };
    },
  },
  /**
   * Transfers a tenant. Only its owner may do so and, if the tenant belongs to an organisation, the
   * admins of that organisation at the identity provider.
   */
  reqTransferTenant: {
    revokes: true,
    confirms: () => true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async (context, { tenantId, userId }) => {
      const { db, caller, now } = context;
      const at = timestamp(now);
      const tenant = await lockTenant(db, tenantId, at);
      if (tenant === undefined) throw new FixpointError('NOT_FOUND');
      if (tenant.ownerUserId !== caller.userId && !(await isOrganizationAdmin(context, tenantId)))
        throw new FixpointError('FORBIDDEN', 'only the owner can transfer the tenant');
      if ((await getMember(db, tenantId, userId))?.role !== 'admin')
        throw new FixpointError('CONFLICT', 'the new owner must be an admin of the tenant');
      return { tenant: shown(await giveTo(db, tenant, userId, at)) };
    },
  },
  /**
   * Deletes the tenant with its ledgers, members and invites. Cloud tokens for the tenant stop
   * working at the next check of rights. A background job deletes the objects.
   */
  reqDeleteTenant: {
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, now }, { tenantId }) => {
      await removeTenant(db, tenantId, timestamp(now));
      return { tenantId };
    },
  },
  reqListTenantsByUser: {
    run: async ({ db, caller, person, scope }, page) => {
      const all = (await describeTenantsOf(db, caller)).filter(({ tenantId }) => isInScope(scope, tenantId));
      const { items, ...more } = pageOf(all, ({ tenantId }) => tenantId, page);
      return { userId: caller.userId, authUserId: person.providerUserId, tenants: items, ...more };
    },
  },
  reqListAudit: {
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db }, { tenantId, after, before = after, limit = AUDIT_PAGE }) => {
      const rows = await listAuditOf(db, tenantId, { before, limit: limit + 1 });
      const records = rows.slice(0, limit).map(({ ledgerId, origin, createdAt, seq, ...row }) => ({
        ...row,
        seq: Number(seq),
        at: createdAt,
        ...(ledgerId !== null && { ledgerId }),
        ...(origin !== null && { from: origin }),
      }));
      const last = records.at(-1);
      return { records, ...(rows.length > limit && last && { next: last.seq }) };
    },
  },
  reqListUsage: {
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, now }, { tenantId, days = USAGE_DAYS }) => {
      const { bytes, maxBytes } = await usageOf(db, tenantId);
      const used = await usageByDay(db, tenantId, now - (days - 1) * DAY_MS, now);
      const listed = used.map(({ stored, ...day }) => ({ ...day, ...(stored !== undefined && { stored }) }));
      return { days: listed, bytes, ...(maxBytes !== undefined && { maxBytes }) };
    },
  },
} satisfies Partial<Handlers>;

/** Returns a tenant as its admins see it. Its ledgers show their limit of shares. */
const shown = ({ maxShares: _, ...tenant }: Tenant) => tenant;

/**
 * Creates a tenant with the caller as its owner and first admin. Doesn't check the user's limit of
 * tenants: lock the user's row and count their tenants first.
 * @param detail parameters for the audit record
 */
export async function addTenant(
  context: UserContext,
  { name, statusReason }: { readonly name: string; readonly statusReason?: string },
  detail: object,
): Promise<Tenant> {
  const { db, caller, now, newLimits } = context;
  const { userId } = caller;
  const at = timestamp(now);
  const tenantId = newId();
  const tenant = await insertTenant(db, { tenantId, name, ownerUserId: userId }, newLimits, at);
  await insertMember(db, { tenantId, userId, role: 'admin', ...(statusReason && { statusReason }) }, at);
  await recordAction(context, 'reqCreateTenant', { tenantId }, detail);
  return tenant;
}

/**
 * Returns whether the caller signed in as an admin of the organisation that the tenant belongs to.
 */
async function isOrganizationAdmin({ db, person }: UserContext, tenantId: string): Promise<boolean> {
  const { organization, provider } = person;
  if (organization?.role !== 'admin') return false;
  return (await getOrganizationTenant(db, provider, organization.id)) === tenantId;
}
