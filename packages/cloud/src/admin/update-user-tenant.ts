import { FixpointError } from '@fixpoint/protocol';
import type { Role } from '@fixpoint/protocol/admin';
import { authorize } from '../rights/authorize.ts';
import type { Connection } from '../tables/database.ts';
import { timestamp } from '../tables/new-row.ts';
import type { TenantUser } from '../tables/schema.ts';
import { clearDefaults, countMembers, getMember, updateMember } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';
import { roleOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';
import { requireRoom } from './require-room.ts';

/** Everybody changes the own name and default; admins change roles and names of others. The last admin stays one. */
export const updateUserTenant: Handler<'reqUpdateUserTenant'> = {
  requires: 'tenant:read',
  target: ({ tenantId }) => ({ tenantId }),
  run: async ({ db, caller, now }, { tenantId, userId = caller.userId, role, name, default: isDefault }) => {
    const isOwn = userId === caller.userId;
    if (!isOwn || role !== undefined) await authorize(db, caller, 'members:manage', { tenantId });
    if (!isOwn && isDefault !== undefined)
      throw new FixpointError('REQUEST_INVALID', 'the default is for everybody to choose');
    const at = timestamp(now);
    // Nobody leaves, comes or changes until this is done.
    await lockTenant(db, tenantId, at);
    const member = await getMember(db, tenantId, userId);
    if (member === undefined) throw new FixpointError('NOT_FOUND');
    if (role !== undefined && role !== member.role) await requireRoleChange(db, member, role, at);
    if (isDefault) await clearDefaults(db, userId);
    const change = {
      ...(role !== undefined && { role }),
      ...(name !== undefined && { name }),
      ...(isDefault !== undefined && { default: isDefault ? 1 : 0 }),
    };
    const row = await updateMember(db, tenantId, userId, change, at);
    return {
      tenantId,
      userId,
      role: roleOf(row.role),
      default: Number(row.default) === 1,
      ...(row.name !== null && { name: row.name }),
    };
  },
};

async function requireRoleChange(
  db: Connection,
  { tenantId, role: was }: TenantUser,
  role: Role,
  at: string,
): Promise<void> {
  await requireRoom(db, tenantId, role, at);
  if (was === 'admin' && (await countMembers(db, tenantId, 'admin')) <= 1)
    throw new FixpointError('CONFLICT', 'the last admin stays one');
}
