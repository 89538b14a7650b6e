import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApp } from './app.ts';
import { ledgerQueries, tenantQueries } from './queries.ts';

/** What is taken away takes effect within five seconds (S5), and an open page says so. */
const LOOK_AGAIN_MS = 4000;

/** Looks every few seconds what the user may see, while the page is in view: what changed elsewhere changes here, too. */
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
