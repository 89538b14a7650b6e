import { useMemo } from 'react';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { NOBODY, type People } from '../../values/who-wrote.ts';

/** Returns the tenant's members by the ids of their accounts; nobody without a tenant. */
export function usePeople(tenantId: string | undefined): People {
  const { data: tenants } = useTenants();
  const members = tenants?.find((tenant) => tenant.tenantId === tenantId)?.members;
  return useMemo(
    () =>
      members === undefined
        ? NOBODY
        : new Map(
            members.map(({ userId, name, email }) => [userId, { name: name ?? email ?? userId, email }]),
          ),
    [members],
  );
}
