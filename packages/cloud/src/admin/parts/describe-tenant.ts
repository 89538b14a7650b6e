import type { Member, Role, UserTenant, Writer } from '@fixpoint/protocol/admin';
import type { Connection } from '../../tables/connection.ts';
import { listMembers, listMemberships, type Membership } from '../../tables/tenants/tenant-users.ts';
import { namesOfWriters, withNames } from './member-names.ts';

export const roleOf = (text: string): Role => (text === 'admin' ? 'admin' : 'member');

/**
 * Returns a user's tenants as shown in lists. Includes the members of tenants where the user is an
 * admin, and the names of people who wrote to ledgers that the user may read.
 */
export async function describeTenantsOf(
  db: Connection,
  { userId, maxTenants }: { readonly userId: string; readonly maxTenants: number },
): Promise<UserTenant[]> {
  const rows = await listMemberships(db, userId);
  const writers = await namesOfWriters(db, userId);
  return Promise.all(rows.map((row) => describe(db, row, maxTenants, writers.get(row.tenantId))));
}

async function describe(
  db: Connection,
  row: Membership,
  maxTenants: number,
  writers: readonly Writer[] | undefined,
): Promise<UserTenant> {
  const { maxAdminUsers, maxMemberUsers, maxInvites, maxLedgers } = row;
  return {
    tenantId: row.tenantId,
    role: roleOf(row.role),
    default: Number(row.default) === 1,
    user: {
      ...(row.name !== null && { name: row.name }),
      status: row.status,
      statusReason: row.statusReason,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      limits: { maxTenants },
    },
    tenant: {
      name: row.tenantName,
      status: row.tenantStatus,
      statusReason: row.tenantStatusReason,
      createdAt: row.tenantCreatedAt,
      updatedAt: row.tenantUpdatedAt,
      limits: { maxAdminUsers, maxMemberUsers, maxInvites, maxLedgers },
      ...(roleOf(row.role) === 'admin' && { ownerUserId: row.ownerUserId }),
    },
    ...(roleOf(row.role) === 'admin' && (await membersOf(db, row.tenantId))),
    ...(writers && { writers: [...writers] }),
  };
}

async function membersOf(
  db: Connection,
  tenantId: string,
): Promise<Required<Pick<UserTenant, 'members' | 'adminUserIds' | 'memberUserIds'>>> {
  const members = (await withNames(db, await listMembers(db, tenantId))).map(
    ({ userId, role, name, email, createdAt }): Member => ({
      userId,
      role: roleOf(role),
      ...(name !== null && { name }),
      ...(email !== null && { email }),
      joinedAt: createdAt,
    }),
  );
  const idsOf = (role: Role) => members.filter((one) => one.role === role).map(({ userId }) => userId);
  return { members, adminUserIds: idsOf('admin'), memberUserIds: idsOf('member') };
}
