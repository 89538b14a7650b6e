/** What this browser noted about documents, beside the documents themselves: texts, queries and names that were not saved, fields of tables, since when something waits to be sent. */
import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';

const OF_LEDGERS = new RegExp(`^fixpoint:(field:|(draft|query|table):(\\["|)${LEDGER_CACHE_PREFIX})`);

/** Whose notes about documents of ledgers these are: his address. */
const OWNER = 'fixpoint:notes-of';

/** What was noted in the forms of the cloud, and about documents of all ledgers, goes with the session. */
export const forgetLedgerNotes = (): void => forget((key) => key === OWNER || OF_LEDGERS.test(key));

/** What another user noted goes, whose session ended by itself: his text would be shown as brought back. */
export function keepLedgerNotesOf(email: string): void {
  try {
    const storages = [sessionStorage, localStorage];
    if (storages.some((storage) => (storage.getItem(OWNER) ?? email) !== email)) forgetLedgerNotes();
    for (const storage of storages) storage.setItem(OWNER, email);
  } catch {
    // A browser that stores nothing has noted nothing.
  }
}

/** What was noted about a database goes with it: one that is made under the same name later begins with nothing. */
export function forgetNotesOf(database: string): void {
  const begin = JSON.stringify([database]).slice(0, -1);
  const [drafts, queries] = [`fixpoint:draft:${begin},`, `fixpoint:query:${begin},`];
  const others = [`fixpoint:table:${database}`, `fixpoint:unsent-since:${database}`];
  forget((key) => key.startsWith(drafts) || key.startsWith(queries) || others.includes(key));
}

function forget(isOld: (key: string) => boolean): void {
  try {
    for (const storage of [sessionStorage, localStorage])
      for (const key of Object.keys(storage)) if (isOld(key)) storage.removeItem(key);
  } catch {
    // A browser that stores nothing has noted nothing.
  }
}
