/**
 * Decides which data key is the current one, and who receives the next one
 * (docs/internals/membership-rules.md, "Keys").
 */
import { type EntryId, rotationOf, type SealingKey } from '@fixpoint/protocol/storage';
import { evaluate, type Membership } from './evaluate.ts';
import type { Seat } from './seats.ts';

/** Maximum number of recipients that one person has. */
const OF_PERSON_MAX = 16;
/** Maximum number of recipients of a record. */
const RECIPIENTS_MAX = 200;

/** The record of a rotation, as this device read it. */
export interface RotationRecord {
  /** The id of the new data key. */
  readonly key: string;
  readonly recipients: readonly SealingKey[];
  /**
   * Whether this device has the new key, and all boxes are equal after computing them again for the
   * place of the entry.
   */
  readonly isUsable: boolean;
}

type RecordOf = (hash: string, entry: EntryId) => RotationRecord | undefined;

/**
 * Remembers which entries have a record with the right recipients. This depends only on the past of
 * the entry and on the record, so it never changes.
 */
export interface RecipientChecks {
  isRight(entry: EntryId, hash: string): boolean;
  noteRight(entry: EntryId, hash: string): void;
}

export interface KeyState {
  /** The id of the current data key. */
  readonly key: string;
  /** The entry that introduced it. */
  readonly entry: EntryId;
  /** The ids of all keys that `back` of the next record contains (D2), in the order of entries. */
  readonly back: readonly string[];
  /** Whether a seat ended after the current key. Then nobody seals under this key (D1). */
  readonly isStale: boolean;
}

/**
 * Returns the sealing keys that receive a new data key: those of the current seats, by rank.
 * @param membership evaluated on the entry with the rotation and its past only
 */
export function recipientsIn({ seats, isCurrent }: Membership): SealingKey[] {
  const ofPersons = new Map<EntryId, number>();
  const isAmongHighest = ({ person }: Seat) => {
    const count = (ofPersons.get(person) ?? 0) + 1;
    ofPersons.set(person, count);
    return count <= OF_PERSON_MAX;
  };
  const chosen = seats.all.filter(isCurrent).filter(isAmongHighest);
  return [...new Set(chosen.map(({ seal }) => seal))].slice(0, RECIPIENTS_MAX);
}

/**
 * Returns the current data key.
 * @param start the id of the first entry
 * @param recordOf returns the record with this hash for an entry; undefined if it isn't here
 */
export function keyStateOf(
  membership: Membership,
  start: EntryId,
  recordOf: RecordOf,
  checks?: RecipientChecks,
): KeyState | undefined {
  const { past, gone } = membership;
  const first = past.entryOf(start);
  if (first?.kind !== 'start') return undefined;
  const newest = newestKeyEntries(membership, start, recordOf, checks);
  const [current] = newest;
  if (current === undefined) return undefined;
  return {
    ...current,
    back: newest.map(({ key }) => key),
    isStale: [...gone].some((id) => id !== current.entry && !past.isBefore(id, current.entry)),
  };
}

interface KeyEntry {
  readonly entry: EntryId;
  readonly key: string;
}

/**
 * Returns the key entries that no other one follows: the longest path first, then the lowest hash.
 * Checks candidates from the longest path on, because a check evaluates the past of the entry.
 */
function newestKeyEntries(
  membership: Membership,
  start: EntryId,
  recordOf: RecordOf,
  checks: RecipientChecks | undefined,
): KeyEntry[] {
  const { past } = membership;
  const found: KeyEntry[] = [];
  const depthOf = ({ entry }: KeyEntry) => past.depthOf(entry);
  const candidates = candidatesIn(membership).sort(
    (a, b) => depthOf(b) - depthOf(a) || (a.entry < b.entry ? -1 : 1),
  );
  for (const one of candidates) {
    if (found.some(({ entry }) => past.isBefore(one.entry, entry))) continue;
    if (one.entry === start || isKeyEntry(membership, start, one, recordOf, checks)) found.push(one);
  }
  return found;
}

/** Returns `start`, and the counting entries with a rotation whose signer may write (C7). */
function candidatesIn({ past, seats, counting, counts }: Membership): KeyEntry[] {
  return past.entries.flatMap((entry) => {
    if (entry.kind === 'start') return counts(entry.id) ? [{ entry: entry.id, key: entry.dataKey }] : [];
    const rotation = rotationOf(entry);
    if (rotation === undefined || !counts(entry.id)) return [];
    const signer = seats.signerOf(entry);
    const isRight = signer !== undefined && counting.hadRole(signer.person, 'write', entry.id);
    return isRight ? [{ entry: entry.id, key: rotation.key }] : [];
  });
}

function isKeyEntry(
  { past }: Membership,
  start: EntryId,
  { entry: id, key }: KeyEntry,
  recordOf: RecordOf,
  checks: RecipientChecks | undefined,
): boolean {
  const entry = past.entryOf(id);
  const hash = entry && rotationOf(entry)?.record;
  const record = hash === undefined ? undefined : recordOf(hash, id);
  if (hash === undefined || record?.key !== key || !record.isUsable) return false;
  if (checks?.isRight(id, hash)) return true;
  const known = past.upTo(id);
  if (known.some((one) => one.id !== id && keyIn(one) === key)) return false;
  const expected = recipientsIn(evaluate(known, start));
  const { recipients } = record;
  const isRight =
    expected.length === recipients.length && expected.every((one, at) => one === recipients[at]);
  if (isRight) checks?.noteRight(id, hash);
  return isRight;
}

const keyIn = (entry: Parameters<typeof rotationOf>[0]): string | undefined =>
  entry.kind === 'start' ? entry.dataKey : rotationOf(entry)?.key;
