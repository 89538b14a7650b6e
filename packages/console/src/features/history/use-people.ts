import { useMemo } from 'react';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import type { People } from '../../values/who-wrote.ts';

/** Returns the tenant's members by the ids of their accounts. */
export function usePeople(tenantId: string): People {
  const { data: tenants } = useTenants();
  const members = tenants?.find((tenant) => tenant.tenantId === tenantId)?.members;
  return useMemo(
    () =>
      new Map(members?.map(({ userId, name, email }) => [userId, { name: name ?? email ?? userId, email }])),
    [members],
  );
}
