/**
 * Maps organisations of the identity provider to tenants, if the operator enabled this. The first
 * admin of an organisation who signs in creates its tenant. Other people of the organisation join
 * when they sign in, unless the tenant is full. Their roles follow the provider, unless an admin of
 * the tenant invited or removed them, or changed their role.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { Organization } from '../../identity/providers/organization.ts';
import { namesOfUser } from '../../tables/accounts/names-of-person.ts';
import { lockUser } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { Tenant, TenantUser } from '../../tables/schema.ts';
import { hasEnded } from '../../tables/tenants/ended-access.ts';
import {
  getOrganizationTenant,
  insertOrganizationTenant,
} from '../../tables/tenants/organization-tenants.ts';
import { countTenantsOwnedBy, lockTenant } from '../../tables/tenants/tenant-rows.ts';
import {
  countActingAdmins,
  GUEST,
  getMember,
  insertMember,
  listMembers,
  updateMember,
} from '../../tables/tenants/tenant-users.ts';
import { recordAction } from '../audit.ts';
import type { UserContext } from '../handler.ts';
import { normalEmail } from '../parts/email-address.ts';
import { beginMembership, endInvitesBy } from '../parts/end-membership.ts';
import { requireRoom } from '../parts/require-room.ts';
import { giveTo } from '../parts/transfer-ownership.ts';
import { addTenant } from './tenant-handlers.ts';

/** The `statusReason` of memberships whose role follows the provider. */
const REASON = 'organization';

export async function joinOrganization(context: UserContext): Promise<void> {
  const { organization, provider } = context.person;
  if (organization === undefined) return;
  const tenantId = await getOrganizationTenant(context.db, provider, organization.id);
  if (tenantId === undefined) return makeTenant(context, organization);
  try {
    await follow(context, tenantId, organization.role);
  } catch (cause) {
    // The tenant is full, or was just deleted. The next sign-in tries again.
    if (!isFixpointError(cause, 'LIMIT_REACHED') && !isFixpointError(cause, 'NOT_FOUND')) throw cause;
  }
}

/**
 * Creates the tenant if the person is an admin. Members don't create a tenant, because a tenant
 * needs an admin.
 */
async function makeTenant(context: UserContext, { id, name, role }: Organization): Promise<void> {
  const { db, caller, now, person } = context;
  const at = timestamp(now);
  if (role !== 'admin') return;
  await lockUser(db, caller.userId, at);
  if ((await countTenantsOwnedBy(db, caller.userId)) >= caller.maxTenants) return;
  const given = { name: name ?? id, statusReason: REASON };
  const { tenantId } = await addTenant(context, given, { organization: id, name: given.name });
  await insertOrganizationTenant(db, { provider: person.provider, organizationId: id, tenantId }, at);
}

async function follow(context: UserContext, tenantId: string, role: 'admin' | 'member'): Promise<void> {
  const { db, caller, now, person } = context;
  const { userId } = caller;
  const at = timestamp(now);
  if (!isBehind(await getMember(db, tenantId, userId), role)) return;
  const tenant = await lockTenant(db, tenantId, at);
  // Another request may have changed or ended the membership before this transaction locked the
  // row.
  const member = await getMember(db, tenantId, userId);
  if (tenant === undefined || !isBehind(member, role)) return;
  const names = await namesOfUser(db, userId, person.emailVerified ? normalEmail(person.email) : undefined);
  if (await hasEnded(db, { tenantId }, names)) return;
  await requireRoom(db, tenantId, role, at);
  if (member?.role === 'admin' && !(await canStepDown(db, tenant, member, at))) return;
  if (member === undefined) await insertMember(db, { tenantId, userId, role, statusReason: REASON }, at);
  else await updateMember(db, tenantId, userId, { role, statusReason: REASON }, at);
  if (member?.role === 'admin') await endInvitesBy(db, tenantId, userId, at);
  else await beginMembership(db, { tenantId, userId }, names, at);
  await recordAction(context, 'reqUpdateUserTenant', { tenantId }, { organization: true, userId, role });
}

/**
 * Returns whether the membership must change: because the person isn't a member, is a guest, or has
 * a role that follows the provider, which now reports another role.
 */
const isBehind = (member: TenantUser | undefined, role: string): boolean =>
  member === undefined || ((member.role === GUEST || member.statusReason === REASON) && member.role !== role);

/**
 * Returns whether an admin can be demoted. The last admin can't be demoted. An owner can be demoted
 * only if another admin may own one more tenant: the tenant is transferred to the first such admin,
 * by date of joining.
 */
async function canStepDown(db: Connection, tenant: Tenant, member: TenantUser, at: string): Promise<boolean> {
  const { tenantId, userId } = member;
  if ((await countActingAdmins(db, tenantId)) <= 1) return false;
  if (tenant.ownerUserId !== userId) return true;
  for (const heir of await listMembers(db, tenantId)) {
    if (heir.role !== 'admin' || heir.userId === userId) continue;
    try {
      await giveTo(db, tenant, heir.userId, at);
      return true;
    } catch (cause) {
      if (!isFixpointError(cause, 'LIMIT_REACHED') && !isFixpointError(cause, 'CONFLICT')) throw cause;
    }
  }
  return false;
}
