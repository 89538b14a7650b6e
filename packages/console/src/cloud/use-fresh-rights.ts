import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApp } from './app.ts';
import { ledgerQueries, tenantQueries } from './queries.ts';

/** Revoked rights take effect within five seconds (S5), and an open page shows it. */
const LOOK_AGAIN_MS = 4000;

/**
 * Refetches the user's rights every few seconds while the page is visible, so that changes made
 * elsewhere appear here.
 */
export function useFreshRights(isActive: boolean): void {
  const { api, queries } = useApp();
  const { data } = useQuery({
    ...tenantQueries.list(api),
    enabled: isActive,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const rights = data?.map(({ tenantId, role }) => `${tenantId} ${role}`).join();
  const before = useRef(rights);
  useEffect(() => {
    if (before.current !== undefined && before.current !== rights)
      void queries.invalidateQueries({ queryKey: ledgerQueries.all });
    before.current = rights;
  }, [rights, queries]);
}
