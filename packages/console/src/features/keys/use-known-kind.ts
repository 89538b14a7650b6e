import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { useSettled } from '../../ui/use-settled.ts';

/** Returns the attachment once it is there. Renders again when the ledger's kind becomes known. */
export function useKnownKind(attached: Promise<Attached> | undefined): Attached | undefined {
  const found = useSettled(attached);
  const isThere = attached !== undefined && found !== undefined && 'value' in found;
  const value = isThere ? found.value : undefined;
  useSyncStatus(value);
  return value;
}
