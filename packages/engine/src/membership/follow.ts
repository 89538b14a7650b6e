import type { EntryId } from '@fixpoint/protocol/storage';
import type { Membership } from './evaluate.ts';

/**
 * Returns the entries that a device lists in `prev` of a new entry: all heads, and its own last
 * entry unless a head follows it (F13). More than 64 must be joined (F12).
 * @param own the last entry of the seat that signs
 */
export function entriesToFollow({ heads, past }: Membership, own?: EntryId): EntryId[] {
  return past.latestOf(own === undefined ? heads : [...heads, own]).sort();
}
