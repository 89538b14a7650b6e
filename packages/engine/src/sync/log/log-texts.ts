/** Finds texts in the list of a ledger that belong to a membership log, or that the list lacks. */
import { type EntryId, parseKeyRecord, rotationOf } from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { isProven } from '../../crypto/grant.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { startsIn } from '../../crypto/log/listed-starts.ts';
import type { LogView } from '../ledger/log-view.ts';
import type { LogMemory } from './log-memory.ts';
import type { Followed } from './log-state.ts';

/** Maximum number of logs in a list that a device which knows none of them looks at. */
const STARTS_MAX = 4;

/**
 * Returns the views of the logs whose authors knew the current data key of this device. A removed
 * member, who has only earlier keys, can't make a device wait.
 */
export async function provenIn(
  texts: Iterable<string>,
  dismissed: ReadonlySet<EntryId>,
  current: string | undefined,
  see: (start: EntryId) => Promise<LogView>,
): Promise<ReadonlyMap<EntryId, LogView>> {
  const found = new Map<EntryId, LogView>();
  if (current === undefined) return found;
  const starts = [...startsIn(texts).keys()].filter((start) => !dismissed.has(start));
  for (const start of starts.slice(0, STARTS_MAX)) {
    const view = await see(start);
    if (view.provenKeys.has(current)) found.set(start, view);
  }
  return found;
}

export const isCodeGrant = (text: string): boolean => {
  const record = parseKeyRecord(text);
  return record?.t === 'grant' && record.locked !== undefined;
};

/** Returns the proven grants to these recovery codes. @param codes their sealing keys */
export async function grantsTo(
  codes: ReadonlySet<string>,
  texts: Iterable<string>,
  { ledger, keys }: { readonly ledger: Uint8Array; readonly keys: LogView['keys'] },
): Promise<[seal: string, text: string][]> {
  const found: [string, string][] = [];
  for (const text of texts) {
    const record = parseKeyRecord(text);
    if (record?.t !== 'grant' || !codes.has(hex(record.pub))) continue;
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
