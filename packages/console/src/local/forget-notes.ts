/** What this browser noted about documents of ledgers, beside the documents themselves: texts that were not saved, and fields of tables. It goes with the session. */
import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';

const NOTES = new RegExp(`^fixpoint:(draft|query|table):(\\["|)${LEDGER_CACHE_PREFIX}`);

export function forgetLedgerNotes(storages: () => readonly Storage[] = ownStorages): void {
  try {
    for (const storage of storages())
      for (const key of Object.keys(storage)) if (NOTES.test(key)) storage.removeItem(key);
  } catch {
    // A browser that stores nothing has noted nothing.
  }
}

const ownStorages = () => [sessionStorage, localStorage];
