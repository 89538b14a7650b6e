/**
 * The tenant that the sidebar is about: the one of the page. Pages that belong to none, such as the account, keep the one that their reader looked at last on this
 * device, so that the way back is where it was; else the first of the list.
 */
import type { UserTenant } from '@fixpoint/protocol/admin';
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { useCloudUser } from '../../cloud/use-cloud.ts';

export interface TenantInView {
  readonly tenant: UserTenant;
  /** Whether the page is one of this tenant. */
  readonly isOfPage: boolean;
}

/** Undefined for who has no tenant. */
export function useTenantInView(tenants: readonly UserTenant[]): TenantInView | undefined {
  const { tenantId: named } = useParams();
  const userId = useCloudUser()?.userId;
  const byId = (id: string | null | undefined) => tenants.find(({ tenantId }) => tenantId === id);
  const ofPage = byId(named)?.tenantId;
  useEffect(() => {
    if (ofPage !== undefined && userId !== undefined) keepLast(userId, ofPage);
  }, [userId, ofPage]);
  const tenant = byId(ofPage) ?? byId(userId && lastOf(userId)) ?? tenants[0];
  return tenant && { tenant, isOfPage: tenant.tenantId === ofPage };
}

/** By user: two people who use one browser do not lead each other. Ids alone, which open nothing. */
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
    // A browser that stores nothing shows the first tenant.
  }
}
