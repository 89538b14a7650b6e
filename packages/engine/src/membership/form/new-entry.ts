/** Writes an entry that follows everything that a device knows. */
import {
  bytesOfHex,
  type EntryFields,
  type EntryId,
  type SeatName,
  type Signer,
  signedEntry,
} from '@fixpoint/protocol/storage';
import type { Membership } from '../evaluate.ts';
import { joined } from './joins.ts';

/** The place of a new entry in the log. */
export interface Place {
  /** The fields `prev`, `in` and `own`. */
  readonly fields: EntryFields;
  /** The joins that the device puts together with the entry (F12). */
  readonly joins: readonly string[];
}

/**
 * Returns the entries that a device lists in `prev` of a new entry: all heads, and its own last
 * entry unless a head follows it (F13). More than 64 must be joined (F12).
 * @param own the last entry of the seat that signs
 */
export function entriesToFollow({ heads, past }: Membership, own?: EntryId): EntryId[] {
  return past.latestOf(own === undefined ? heads : [...heads, own]).sort();
}

/** Returns the place of the next entry of a seat (F10, F13). */
export function placeOf(membership: Membership, seat: SeatName): Place {
  const own = lastOf(membership, seat);
  const { ids, joins } = joined(entriesToFollow(membership, own));
  const fields = {
    prev: ids.map(bytesOfHex),
    in: bytesOfHex(seat.entry),
    ...(own !== undefined && { own: bytesOfHex(own) }),
  };
  return { fields, joins: joins.map(({ text }) => text) };
}

/** Returns the last entry that a seat signed, whether it counts or not. */
function lastOf({ past }: Membership, { key, entry }: SeatName): EntryId | undefined {
  const own = past.entries.filter(
    (one) => one.kind !== 'join' && one.by.key === key && one.by.entry === entry,
  );
  // The device is a copy of another one if there are several. Each of them is right (F10).
  return past.latestOf(own.map(({ id }) => id))[0];
}

/**
 * Returns the texts to put into the list: an entry, and the joins that it needs.
 * @param fields the fields of its kind, with `t`
 * @param timeMs when it is signed, in milliseconds since 1970
 * @param cosigner the device that signs the successor of a code, too
 * @throws InvalidEntryError if the fields break a rule
 */
export async function newEntry(
  { fields: place, joins }: Place,
  ledger: Uint8Array,
  fields: EntryFields,
  signer: Signer,
  timeMs: number,
  cosigner?: Signer,
): Promise<readonly string[]> {
  const at = bytesOfHex(Math.floor(timeMs).toString(16).padStart(12, '0'));
  return [...joins, await signedEntry({ ...fields, ...place, at }, ledger, { signer, cosigner })];
}
