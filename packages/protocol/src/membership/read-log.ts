/** Reads the log from the texts of a ledger's list `keys`. */
import { FixpointError } from '../errors.ts';
import { utf8 } from './bytes.ts';
import { type EntryId, type FormRule, isAdmission, type LogEntry, personNamedBy } from './entry.ts';
import { decodeEntry, type Hash, isEntryText, isLaterForm, type ReadEntry } from './entry-text.ts';
import { InvalidEntryError } from './invalid-entry-error.ts';
import { signatureFault, type Verify } from './signatures-of-entry.ts';

/**
 * The version of the rules that devices check once: those that `readLog` checks, and those of
 * rotation records. Increase it whenever they accept less than before: devices remember which
 * entries and records passed the checks of a version, and don't repeat these.
 */
export const LOG_CHECKS_VERSION = 1;

/** The entries of a ledger that a device read before. */
export interface KnownEntries {
  /** Returns whether an entry passed all checks before. Its id covers all its bytes. */
  isChecked(id: EntryId): boolean;
  /** Entries by their texts. `readLog` adds those that it decodes. */
  readonly decoded: Map<string, ReadEntry>;
}

export interface ReadLog {
  /** The entries that are valid by themselves, and whose signatures are. */
  readonly entries: readonly LogEntry[];
  /** These entries with their fields. */
  readonly readOf: ReadonlyMap<EntryId, ReadEntry>;
  /** The texts of these entries. */
  readonly textOf: ReadonlyMap<EntryId, string>;
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
  readonly known?: KnownEntries;
}

/**
 * Reads all entries, and checks their signatures. Omits entries about an unknown person.
 * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures (E10)
 */
export async function readLog(
  texts: Iterable<string>,
  { ledger, hash, verify, users: others = new Map(), known }: LogReading,
): Promise<ReadLog> {
  const invalid = new Map<string, FormRule>();
  const read = new Map<string, ReadEntry>();
  let needsUpdate = false;
  for (const text of texts) {
    if (isLaterForm(text)) needsUpdate = true;
    if (!isEntryText(text)) continue;
    try {
      const one = known?.decoded.get(text) ?? decodeEntry(text, hash, known?.isChecked);
      read.set(text, one);
      known?.decoded.set(text, one);
    } catch (error) {
      if (!(error instanceof InvalidEntryError)) throw error;
      invalid.set(text, error.rule);
    }
  }
  const users = new Map([...others, ...usersIn(read.values())]);
  const entries: LogEntry[] = [];
  const readOf = new Map<EntryId, ReadEntry>();
  const textOf = new Map<EntryId, string>();
  for (const [text, one] of read) {
    const { entry } = one;
    const user = users.get(personNamedBy(entry) ?? entry.id);
    // A consent can't be checked without the person. Such an entry isn't present, either.
    if (user === undefined && introducesKey(entry)) continue;
    const isChecked = known?.isChecked(entry.id) === true;
    const fault = isChecked ? undefined : await signatureFault(one.fields, ledger, user, verify);
    if (fault === 'unchecked')
      throw new FixpointError('NOT_IMPLEMENTED', 'a membership log without WebCrypto, which needs HTTPS');
    if (fault !== undefined) invalid.set(text, fault);
    else {
      entries.push(entry);
      readOf.set(entry.id, one);
      textOf.set(entry.id, text);
    }
  }
  return { entries, readOf, textOf, invalid, needsUpdate };
}

/** Returns the user id of each person. */
export function usersIn(read: Iterable<ReadEntry>): Map<string, Uint8Array> {
  const users = new Map<string, Uint8Array>();
  for (const { entry } of read) if (isAdmission(entry)) users.set(entry.id, utf8(entry.user));
  return users;
}

const introducesKey = (entry: LogEntry): boolean =>
  isAdmission(entry) || entry.kind === 'device' || entry.kind === 'code';
