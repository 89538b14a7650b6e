/**
 * Checks what an entry claims about the entries that it names: rules F8 to F10 of
 * docs/internals/membership-rules.md.
 */
import {
  type EntryId,
  type FormRule,
  introducedBy,
  isAdmission,
  type LogEntry,
  personNamedBy,
  type SignedEntry,
} from './entry.ts';

/** Returns an entry that another one may name. */
type EntryOf = (id: EntryId) => LogEntry | undefined;

/**
 * Returns the rule that an entry breaks because of the entries that it names.
 * @param entryOf returns the entries in its past. The gateway doesn't compute the past, so it
 * returns all entries that it has
 */
export function linkFault(entry: LogEntry, entryOf: EntryOf): FormRule | undefined {
  if (entry.kind === 'join') return undefined;
  if (!isSignerKnown(entry, entryOf)) return 'F8';
  const person = personNamedBy(entry);
  if (person !== undefined) {
    const admission = entryOf(person);
    if (admission === undefined || !isAdmission(admission)) return 'F9';
  }
  return isOwnRight(entry, entryOf) ? undefined : 'F10';
}

function isSignerKnown(entry: SignedEntry, entryOf: EntryOf): boolean {
  const { by, id } = entry;
  if (entry.kind === 'start') return by.entry === id && by.key === entry.device.sign;
  const introduced = entryOf(by.entry);
  const { device, code } = introduced === undefined ? {} : introducedBy(introduced);
  if (by.key !== device?.sign && by.key !== code?.sign) return false;
  if (entry.kind !== 'code' || entry.with === undefined) return true;
  const other = entryOf(entry.with.entry);
  return other !== undefined && introducedBy(other).device?.sign === entry.with.key;
}

function isOwnRight({ by, own }: SignedEntry, entryOf: EntryOf): boolean {
  if (own === undefined) return true;
  const before = entryOf(own);
  return (
    before !== undefined && before.kind !== 'join' && before.by.key === by.key && before.by.entry === by.entry
  );
}
