/**
 * Decides which tenant the sidebar shows: the tenant of the page. On pages without a tenant, such
 * as the account page, it is the last tenant viewed on this device, or else the first tenant in the
 * list.
 */
import type { User, UserTenant } from '@fixpoint/protocol/admin';
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { USER_KEY } from '../../cloud/app.ts';
import { lastKnown } from '../../cloud/queries/last-known.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';

export interface TenantInView {
  readonly tenant: UserTenant;
  /** Whether the page belongs to this tenant. */
  readonly isOfPage: boolean;
}

/** Returns the tenant in view; undefined for users without a tenant. */
export function useTenantInView(tenants: readonly UserTenant[]): TenantInView | undefined {
  const { tenantId: named } = useParams();
  const user = useCloudUser() ?? lastKnown<{ readonly user: User }>(USER_KEY)?.user;
  const userId = user?.userId;
  const byId = (id: string | null | undefined) => tenants.find(({ tenantId }) => tenantId === id);
  const ofPage = byId(named)?.tenantId;
  useEffect(() => {
    if (ofPage !== undefined && userId !== undefined) keepLast(userId, ofPage);
  }, [userId, ofPage]);
  const tenant = byId(ofPage) ?? byId(userId && lastOf(userId)) ?? tenants[0];
  return tenant && { tenant, isOfPage: tenant.tenantId === ofPage };
}

/**
 * One key per user, so that two people who share a browser don't affect each other. Stores only
 * ids, which grant no access.
 */
const keyOf = (userId: string) => `fixpoint:tenant:${userId}`;

function lastOf(userId: string): string | null {
  try {
    return localStorage.getItem(keyOf(userId));
  } catch {
    return null;
  }
}

function keepLast(userId: string, tenantId: string): void {
  try {
    localStorage.setItem(keyOf(userId), tenantId);
  } catch {
    // Without storage the first tenant is shown.
  }
}
