import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { restoreLastKnown } from '../../cloud/queries/last-known.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';

/**
 * Returns the address of the signed-in user; null if nobody is signed in. While the server is
 * unreachable, returns the user who was signed in. Undefined until either is known.
 */
export function useSyncUser(): string | null | undefined {
  const { queries } = useApp();
  const { data: user, failureCount, fetchStatus } = useSession();
  const [before, setBefore] = useState<string | null>();
  const isUnheard = user === undefined && (failureCount > 0 || fetchStatus === 'paused');
  useEffect(() => {
    if (isUnheard) setBefore(restoreLastKnown(queries)?.email ?? null);
  }, [isUnheard, queries]);
  return user === undefined ? before : (user?.email ?? null);
}
