import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { restoreLastKnown } from '../../cloud/queries/last-known.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';

/**
 * Returns whether somebody is signed in. While the server is unreachable, returns whether somebody
 * was. Undefined until either is known.
 */
export function useMaySync(): boolean | undefined {
  const { queries } = useApp();
  const { data: user, failureCount, fetchStatus } = useSession();
  const [before, setBefore] = useState<boolean>();
  const isUnheard = user === undefined && (failureCount > 0 || fetchStatus === 'paused');
  useEffect(() => {
    if (isUnheard) setBefore(restoreLastKnown(queries) !== undefined);
  }, [isUnheard, queries]);
  return user === undefined ? before : user !== null;
}
