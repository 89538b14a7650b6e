/**
 * Organisations of the identity provider are tenants here, where the operator wants it. The first admin of one who signs in makes its tenant; everybody of it who signs
 * in is a member, as long as there is room. Memberships that came so follow the provider: its admins are admins. What was given here by an invite stays as it is.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { Organization } from '../identity/organization.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { getOrganizationTenant, insertOrganizationTenant } from '../tables/organization-tenants.ts';
import { countMembers, GUEST, getMember, insertMember, updateMember } from '../tables/tenant-users.ts';
import { countTenantsOwnedBy, insertTenant, lockTenant } from '../tables/tenants.ts';
import { lockUser } from '../tables/users.ts';
import { recordAction } from './audit.ts';
import type { UserContext } from './handler.ts';
import { requireRoom } from './require-room.ts';

/** Marks memberships that follow the provider. */
const REASON = 'organization';

export async function joinOrganization(context: UserContext): Promise<void> {
  const { organization, provider } = context.person;
  if (organization === undefined) return;
  const tenantId = await getOrganizationTenant(context.db, provider, organization.id);
  if (tenantId === undefined) return makeTenant(context, organization);
  try {
    await follow(context, tenantId, organization.role);
  } catch (cause) {
    // A full tenant takes nobody more: he comes in with a later sign-in, when there is room.
    if (!isFixpointError(cause, 'LIMIT_REACHED') && !isFixpointError(cause, 'NOT_FOUND')) throw cause;
  }
}

/** A tenant needs an admin: members alone make none. */
async function makeTenant(context: UserContext, { id, name, role }: Organization): Promise<void> {
  const { db, caller, now, person } = context;
  const at = timestamp(now);
  if (role !== 'admin') return;
  await lockUser(db, caller.userId, at);
  if ((await countTenantsOwnedBy(db, caller.userId)) >= caller.maxTenants) return;
  const tenantId = newId();
  await insertTenant(db, { tenantId, name: name ?? id, ownerUserId: caller.userId }, at);
  await insertOrganizationTenant(db, { provider: person.provider, organizationId: id, tenantId }, at);
  await insertMember(db, { tenantId, userId: caller.userId, role: 'admin', statusReason: REASON }, at);
  await recordAction(context, 'reqCreateTenant', { tenantId }, { organization: id, name: name ?? id });
}

async function follow(context: UserContext, tenantId: string, role: 'admin' | 'member'): Promise<void> {
  const { db, caller, now } = context;
  const { userId } = caller;
  const at = timestamp(now);
  const member = await getMember(db, tenantId, userId);
  const isFollowing = member === undefined || member.role === GUEST || member.statusReason === REASON;
  if (!isFollowing || member?.role === role) return;
  await lockTenant(db, tenantId, at);
  if (member?.role === 'admin' && (await countMembers(db, tenantId, 'admin')) <= 1) return;
  await requireRoom(db, tenantId, role, at);
  if (member === undefined) await insertMember(db, { tenantId, userId, role, statusReason: REASON }, at);
  else await updateMember(db, tenantId, userId, { role, statusReason: REASON }, at);
  await recordAction(context, 'reqUpdateUserTenant', { tenantId }, { organization: true, userId, role });
}
