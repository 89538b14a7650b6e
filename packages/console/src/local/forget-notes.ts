/**
 * Deletes this browser's notes: access to other servers, text typed in cloud forms, unsaved texts
 * of documents and queries, layouts and places of tables, the order of imported fields, names of
 * members, and the time since which changes are unsent.
 */
import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';

const OF_LEDGERS = new RegExp(
  `^fixpoint:(access:|field:|people:|(draft|query|table|view|fields):(\\["|)${LEDGER_CACHE_PREFIX})`,
);

/** Key of the email address of the user who owns the notes about ledger documents. */
const OWNER = 'fixpoint:notes-of';

/**
 * Deletes text typed in cloud forms, notes about documents of all ledgers, names of members, and
 * access to other servers, when the session ends.
 */
export const forgetLedgerNotes = (): void => forget((key) => key === OWNER || OF_LEDGERS.test(key));

/**
 * Deletes notes of a previous user whose session ended by itself. Otherwise the console would offer
 * the previous user's text to this user.
 */
export function keepLedgerNotesOf(email: string): void {
  try {
    const storages = [sessionStorage, localStorage];
    if (storages.some((storage) => (storage.getItem(OWNER) ?? email) !== email)) forgetLedgerNotes();
    for (const storage of storages) storage.setItem(OWNER, email);
  } catch {
    // Without storage, there are no notes.
  }
}

/**
 * Deletes the notes about a removed database, so that a later one with the same name starts empty.
 */
export function forgetNotesOf(database: string): void {
  const begin = JSON.stringify([database]).slice(0, -1);
  const [drafts, queries] = [`fixpoint:draft:${begin},`, `fixpoint:query:${begin},`];
  const others = ['table', 'view', 'fields', 'unsent-since', 'connect', 'access'].map(
    (note) => `fixpoint:${note}:${database}`,
  );
  forget((key) => key.startsWith(drafts) || key.startsWith(queries) || others.includes(key));
}

function forget(isOld: (key: string) => boolean): void {
  try {
    for (const storage of [sessionStorage, localStorage])
      for (const key of Object.keys(storage)) if (isOld(key)) storage.removeItem(key);
  } catch {
    // Without storage, there are no notes.
  }
}
