import type { Right } from '@fixpoint/protocol/admin';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { useEffect } from 'react';
import { LEDGERS_KEY, useApp } from '../../cloud/app.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { isReadOnly } from './describe-sync.ts';

/**
 * Returns whether the user may write to a ledger. The list of ledgers may be older than the right:
 * after the server rejects a write, the user may only read, and the list is refetched.
 * @param right the user's right in the list of ledgers
 */
export function useMayWrite(right: Right | undefined, attached: Promise<Attached>): boolean {
  const found = useSettled(attached);
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  const isRejected = isReadOnly(status?.error);
  const { queries } = useApp();
  useEffect(() => {
    if (isRejected) void queries.invalidateQueries({ queryKey: LEDGERS_KEY });
  }, [isRejected, queries]);
  return right !== 'read' && !isRejected;
}
