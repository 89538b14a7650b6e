import type { Attached, LedgerKeyring } from 'fixpoint';
import { liveKeyring } from 'fixpoint/live';
import { useStore } from './use-store.ts';

/**
 * Returns the live state of the keys of a sealed ledger on this device, with the members, the forks
 * and the safety number of its membership log. Undefined until it is known.
 */
export const useKeyring = (attached: Attached | undefined): LedgerKeyring | undefined =>
  useStore(liveKeyring(attached));
