import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { useSettled } from '../../ui/use-settled.ts';

/** Returns how many changes on this device still have to be sent to the ledger, live. */
export function useToSend(attached: Promise<Attached>): number {
  const found = useSettled(attached);
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  return status?.toSend ?? 0;
}
