/** Finds texts in the list of a ledger that belong to a membership log, or that the list lacks. */
import { decodeEntry, type EntryId, type GrantRecord, rotationOf } from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { isProven } from '../../crypto/grant.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { startsIn } from '../../crypto/log/listed-starts.ts';
import { isProvenStart } from '../../crypto/log/start-entry.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { push } from '../../membership/push.ts';
import type { LogView } from '../ledger/log-view.ts';
import type { Followed } from './log-state.ts';
import type { LogMemory } from './stored/log-memory.ts';

/** Maximum number of logs in a list that a device which knows none of them looks at. */
const VIEWS_MAX = 32;
/** Maximum number of proven logs that it finds. With two of them, it waits. */
const PROVEN_MAX = 4;

export interface ProvenParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  /** The data keys of this device. */
  readonly keys: ReadonlyMap<string, LedgerKey>;
  /** The name of the current one; undefined before this device was approved. */
  readonly current: string | undefined;
  readonly see: (start: EntryId) => Promise<LogView>;
}

/**
 * Returns the views of the logs whose authors knew the current data key of this device. A removed
 * member, who has only earlier keys, can't make a device wait.
 */
export async function provenIn(
  texts: Iterable<string>,
  dismissed: ReadonlySet<EntryId>,
  { ledger, keys, current, see }: ProvenParts,
): Promise<ReadonlyMap<EntryId, LogView>> {
  const found = new Map<EntryId, LogView>();
  if (current === undefined) return found;
  const ranked: (readonly [start: EntryId, rank: number])[] = [];
  for (const [start, text] of startsIn(texts)) {
    if (dismissed.has(start)) continue;
    const { fields } = decodeEntry(text, sha256);
    const isProven = await isProvenStart(ledger, fields, keys);
    // The key of the start may be an earlier one, from before a rotation.
    const rank = isProven === undefined ? 2 : hex(fields['key'] as Uint8Array) === current ? 0 : 1;
    if (isProven !== false) ranked.push([start, rank]);
  }
  // Starts whose authors knew no key of this device must not hide the right one.
  ranked.sort(([, one], [, other]) => one - other);
  for (const [start] of ranked.slice(0, VIEWS_MAX)) {
    const view = await see(start);
    if (view.provenKeys.has(current)) found.set(start, view);
    if (found.size === PROVEN_MAX) break;
  }
  return found;
}

/** Returns the grants without a recovery code, by the ids of their keys. */
export function seatGrantsIn(grants: Iterable<GrantRecord>): ReadonlyMap<string, readonly GrantRecord[]> {
  const found = new Map<string, GrantRecord[]>();
  for (const record of grants) if (record.locked === undefined) push(found, hex(record.key), record);
  return found;
}

/** Returns the proven grants to these recovery codes. @param codes their sealing keys */
export async function grantsTo(
  codes: ReadonlySet<string>,
  grants: Iterable<readonly [text: string, record: GrantRecord]>,
  { ledger, keys }: { readonly ledger: Uint8Array; readonly keys: LogView['keys'] },
): Promise<[seal: string, text: string][]> {
  const found: [string, string][] = [];
  for (const [text, record] of grants) {
    if (record.locked === undefined || !codes.has(hex(record.pub))) continue;
    const key = keys.get(hex(record.key));
    if (key !== undefined && (await isProven(ledger, record, key))) found.push([hex(record.pub), text]);
  }
  return found;
}

/** Returns the texts of all known rotations by their hashes. @param kept a remembered one */
export function rotationsIn(keys: LedgerKeys, kept: string | undefined): ReadonlyMap<string, string> {
  const all = kept === undefined ? keys.rotations() : [...keys.rotations(), kept];
  return new Map(all.map((text) => [hex(sha256(utf8(text))), text]));
}

/** See `LogFollower.lost`. */
export function lostGroups(
  { view: { membership }, seat: own }: Followed,
  memory: LogMemory,
  rotations: ReadonlyMap<string, string>,
  listed: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const { past, seats, isCurrent } = membership;
  const texts = memory.texts();
  const isLost = (one: string | undefined): one is string => one !== undefined && !listed.has(one);
  const entries = past.entries.flatMap((entry) => {
    const text = texts.get(entry.id);
    const hash = rotationOf(entry)?.record;
    const record = hash === undefined ? undefined : rotations.get(hash);
    if (text === undefined || !(isLost(text) || isLost(record))) return [];
    return [[text, ...(isLost(record) ? [record] : [])]];
  });
  const isCode = (seat: (typeof seats.all)[number]) => seat.kind === 'code' && isCurrent(seat);
  const codes = own === undefined ? [] : seats.all.filter(isCode);
  const grants = codes.flatMap(({ seal }) => memory.grantsTo(seal)).filter(isLost);
  return [...entries, ...grants.map((text) => [text])];
}
