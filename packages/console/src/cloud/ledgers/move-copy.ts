/** Takes this browser's copy of a ledger along to another ledger. */
import { FixpointError, LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';
import { COPIES_KEY, copyOf, storedCopies } from './ledger-copies.ts';

/** Returns whether the copy of a ledger came from another ledger. */
export const isMovedCopy = (ledgerId: string): boolean =>
  Object.hasOwn(storedCopies(), ledgerId) && !copyOf(ledgerId).startsWith(LEDGER_CACHE_PREFIX + ledgerId);

/**
 * Makes the copy of a ledger the copy of another one. The first ledger gets a new, empty copy when
 * it is opened again.
 * @throws FixpointError STORE_FAILED in a browser without storage
 */
export function moveCopy(from: string, to: string): void {
  const known = storedCopies();
  const names = new Set(Object.values(known).concat(copyOf(from)));
  let fresh = LEDGER_CACHE_PREFIX + from;
  for (let number = 2; names.has(fresh); number += 1) fresh = `${LEDGER_CACHE_PREFIX}${from}-${number}`;
  try {
    localStorage.setItem(COPIES_KEY, JSON.stringify({ ...known, [to]: copyOf(from), [from]: fresh }));
  } catch (cause) {
    throw new FixpointError('STORE_FAILED', 'which copy belongs to which database', { cause });
  }
}
