/** Writes entries of the membership log that this device signs, with the rotations they contain. */
import { FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  type EntryFields,
  type EntryId,
  type LogEntry,
  type Signer,
} from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import { makeLogRotation } from '../../crypto/rotation-record.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { evaluate, type Membership } from '../../membership/evaluate.ts';
import { newEntry, placeOf } from '../../membership/form/new-entry.ts';
import { recipientsIn } from '../../membership/keys.ts';
import type { Seat } from '../../membership/seats.ts';
import type { Random } from '../../ports/random.ts';
import type { LogView } from '../ledger/log-view.ts';

const ROT_BYTES = 48;

export interface LogWriterParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly random: Random;
  readonly signer: Signer;
  /** When the entries are signed, in milliseconds since 1970. */
  readonly timeMs: number;
  /** The id of the log. */
  readonly start: EntryId;
  readonly view: LogView;
  /** The current data key. */
  readonly current: LedgerKey;
  /** The heads of the database: CIDs of events in bytes, sorted, at most 16 (E3). */
  readonly cut: readonly Uint8Array[];
}

/**
 * Returns the texts of one request that removes devices and recovery codes, and rotates the data
 * key. Removes a person whose last devices these are. Without ids, only rotates the key.
 * @param ids the ids of devices, in hex
 * @throws FixpointError NOT_FOUND; FORBIDDEN if the rules don't let this device remove one of them;
 * DEVICE_NOT_APPROVED; LIMIT_REACHED
 */
export async function removalTexts(
  parts: LogWriterParts,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { membership, read } = parts.view;
  const { signer, cut } = parts;
  const removed = ids.map((id) => seatWithId(membership, id));
  const own = membership.seats.ofKey(hex(signer.publicKey))[0]?.person;
  const fields = targetsOf(membership, removed, own).map(
    (target): EntryFields => ({ t: 'remove', ...target, ...(cut.length > 0 && { cut }) }),
  );
  const last = fields.pop() ?? { t: 'key' };
  let entries = read.entries;
  let texts: readonly string[] = [];
  for (const one of fields) {
    const { texts: more, made } = await signed(parts, entries, one);
    entries = [...entries, ...made];
    texts = [...texts, ...more];
  }
  return [...texts, ...(await withRotation(parts, entries, last))];
}

function seatWithId({ seats, isCurrent }: Membership, id: string): Seat {
  const seat = seats.all.find((one) => isCurrent(one) && hex(deviceIdOf(bytesOf(one.seal))) === id);
  if (seat === undefined) throw new FixpointError('NOT_FOUND', 'no device with this id');
  return seat;
}

/** Returns a person in place of all their devices: a recovery code of theirs must end, too. */
function targetsOf(
  { seats, isCurrent }: Membership,
  removed: readonly Seat[],
  own: EntryId | undefined,
): readonly ({ readonly person: Uint8Array } | { readonly target: Uint8Array })[] {
  const isWhole = (person: EntryId) =>
    person !== own &&
    seats.all.every(
      (seat) => seat.person !== person || seat.kind === 'code' || !isCurrent(seat) || removed.includes(seat),
    );
  const persons = [...new Set(removed.map(({ person }) => person))].filter(isWhole);
  const keys = removed.filter(({ person }) => !persons.includes(person)).map(({ key }) => key);
  return [
    ...persons.map((person) => ({ person: bytesOf(person) })),
    ...[...new Set(keys)].map((key) => ({ target: bytesOf(key) })),
  ];
}

/**
 * Signs an entry, after the joins that it needs.
 * @throws FixpointError FORBIDDEN if it wouldn't count; DEVICE_NOT_APPROVED
 */
async function signed(
  { ledger, signer, timeMs, start }: LogWriterParts,
  entries: readonly LogEntry[],
  fields: EntryFields,
) {
  const membership = evaluate(entries, start);
  const seat = membership.seats.ofKey(hex(signer.publicKey)).find(membership.isCurrent);
  if (seat === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
  const place = placeOf(membership, seat);
  const texts = await newEntry(place, ledger, fields, signer, timeMs);
  const made = texts.map((text) => decodeEntry(text, sha256).entry);
  const { id } = made.at(-1) as LogEntry;
  const after = evaluate([...entries, ...made], start);
  if (!after.counts(id))
    throw new FixpointError('FORBIDDEN', `by rule ${after.reasonOf(id)?.rule} of the membership log`);
  return { texts, made, id, after, seat, prev: place.fields['prev'] as Uint8Array[] };
}

/** Signs an entry with a rotation, unless the author has no right to rotate (C7). */
async function withRotation(
  parts: LogWriterParts,
  entries: readonly LogEntry[],
  fields: EntryFields,
): Promise<readonly string[]> {
  const { ledger, random, start, view, current } = parts;
  // The recipients follow from the entry, and the record names its place. So it is signed twice.
  const blank = fields['t'] === 'key' ? { rot: new Uint8Array(ROT_BYTES) } : {};
  const trial = await signed(parts, entries, { ...fields, ...blank });
  const { after, id, seat, prev } = trial;
  if (!after.counting.hadRole(seat.person, 'write', id)) return trial.texts;
  const known = evaluate(after.past.upTo(id), start);
  const { rot, text } = await makeLogRotation({
    ...{ ledger, random, current, prev },
    recipients: recipientsIn(known).map(bytesOf),
    back: (view.key?.back ?? []).flatMap((name) => view.keys.get(name) ?? []),
  });
  const { texts } = await signed(parts, entries, { ...fields, rot });
  return [...texts, text];
}

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
