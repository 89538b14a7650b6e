/**
 * Says which local database is this browser's copy of a ledger. When the user switches to the
 * ledger's successor, the copy goes along with its unsent changes. From then on, it must never sync
 * with the old ledger again: the server might be able to read that one.
 */
import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';

/** One note for all copies, so that both ends of a move change at once. */
export const COPIES_KEY = 'fixpoint:ledger-copies';

/** Returns the name of the local database that is the copy of a ledger. */
export function copyOf(ledgerId: string): string {
  const name = storedCopies()[ledgerId];
  return typeof name === 'string' ? name : LEDGER_CACHE_PREFIX + ledgerId;
}

/** Returns the stored names by ledger. */
export function storedCopies(): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(String(localStorage.getItem(COPIES_KEY))) as object | null) };
  } catch {
    return {};
  }
}
