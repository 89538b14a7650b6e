/** Compares what tenants use with their limits, and sorts tenants. */
import type { ServerTenant } from '@fixpoint/protocol/admin';

/** From this share of a quota on, the storage is marked. */
const NEARLY = 0.85;

/** Returns the used share of a quota, at most 1; undefined without a quota. */
export function shareOf(bytes: number, maxBytes: number | undefined): number | undefined {
  if (maxBytes === undefined) return undefined;
  return maxBytes === 0 ? 1 : Math.min(1, bytes / maxBytes);
}

export const isNearShare = (share: number | undefined): boolean => share !== undefined && share >= NEARLY;

/** Returns whether a tenant has reached one of its limits, or nearly its quota. */
export const isNearLimit = (tenant: ServerTenant): boolean =>
  isNearShare(shareOf(tenant.bytes, tenant.maxBytes)) ||
  tenant.ledgers >= tenant.maxLedgers ||
  tenant.admins >= tenant.maxAdminUsers ||
  tenant.members >= tenant.maxMemberUsers;

export const trafficOf = ({ traffic }: Pick<ServerTenant, 'traffic'>): number =>
  traffic.reduce((sum, { uploaded, downloaded }) => sum + uploaded + downloaded, 0);

export const TENANT_ORDERS = {
  newest: 'Newest first',
  name: 'Name',
  storage: 'Storage',
  traffic: 'Traffic',
} as const;

export type TenantOrder = keyof typeof TENANT_ORDERS;

/** @param tenants newest first, as the server lists them */
export function orderTenants(tenants: readonly ServerTenant[], order: TenantOrder): readonly ServerTenant[] {
  if (order === 'newest') return tenants;
  if (order === 'name') return tenants.toSorted((a, b) => a.name.localeCompare(b.name));
  const numberOf = order === 'storage' ? ({ bytes }: ServerTenant) => bytes : trafficOf;
  return tenants.toSorted((a, b) => numberOf(b) - numberOf(a));
}
