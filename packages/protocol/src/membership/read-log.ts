/** Reads the log from the texts of a ledger's list `keys`. */
import { FixpointError } from '../errors.ts';
import { hex } from './bytes.ts';
import type { EntryId, FormRule, LogEntry } from './entry.ts';
import {
  decodeEntry,
  type EntryFields,
  type Hash,
  isEntryText,
  isLaterForm,
  type ReadEntry,
} from './entry-text.ts';
import { InvalidEntryError } from './invalid-entry-error.ts';
import { signatureFault, type Verify } from './signatures-of-entry.ts';

export interface ReadLog {
  /** The entries that are valid by themselves, and whose signatures are. */
  readonly entries: readonly LogEntry[];
  /** The fields of these entries. */
  readonly fieldsOf: ReadonlyMap<EntryId, EntryFields>;
  /** The texts that look like entries and aren't valid. */
  readonly invalid: ReadonlyMap<string, FormRule>;
  /** Whether the list contains a form that only later versions know (F14). */
  readonly needsUpdate: boolean;
}

export interface LogReading {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly hash: Hash;
  readonly verify: Verify;
  /** The user ids of persons whose entries aren't among the texts. */
  readonly users?: ReadonlyMap<EntryId, Uint8Array>;
}

/**
 * Reads all entries, and checks their signatures. Omits entries about an unknown person.
 * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures (E10)
 */
export async function readLog(
  texts: Iterable<string>,
  { ledger, hash, verify, users: known = new Map() }: LogReading,
): Promise<ReadLog> {
  const invalid = new Map<string, FormRule>();
  const read = new Map<string, ReadEntry>();
  let needsUpdate = false;
  for (const text of texts) {
    if (isLaterForm(text)) needsUpdate = true;
    if (!isEntryText(text)) continue;
    try {
      read.set(text, decodeEntry(text, hash));
    } catch (error) {
      if (!(error instanceof InvalidEntryError)) throw error;
      invalid.set(text, error.rule);
    }
  }
  const users = new Map([...known, ...usersIn(read.values())]);
  const entries: LogEntry[] = [];
  const fieldsOf = new Map<EntryId, EntryFields>();
  for (const [text, { entry, fields }] of read) {
    const user = users.get(fields['person'] instanceof Uint8Array ? hex(fields['person']) : entry.id);
    // A consent can't be checked without the person. Such an entry isn't present, either.
    const isReady = user !== undefined || (fields['ok'] === undefined && fields['cok'] === undefined);
    if (!isReady) continue;
    const fault = await signatureFault(fields, ledger, user, verify);
    if (fault === 'unchecked')
      throw new FixpointError('NOT_IMPLEMENTED', 'a membership log without WebCrypto, which needs HTTPS');
    if (fault !== undefined) invalid.set(text, fault);
    else {
      entries.push(entry);
      fieldsOf.set(entry.id, fields);
    }
  }
  return { entries, fieldsOf, invalid, needsUpdate };
}

/** Returns the user id of each person. */
export function usersIn(read: Iterable<ReadEntry>): Map<string, Uint8Array> {
  const users = new Map<string, Uint8Array>();
  for (const { entry, fields } of read)
    if (fields['user'] instanceof Uint8Array) users.set(entry.id, fields['user']);
  return users;
}
