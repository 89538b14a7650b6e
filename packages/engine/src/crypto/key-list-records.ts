/**
 * Finds records in the key list of a sealed ledger: records that are still needed, records to add
 * again after a restore, and records to remove. Also finds keys that no record leads to.
 */
import type { ChainRecord, GrantRecord, KeyRecord, RotateRecord } from '@fixpoint/protocol/storage';
import { hex } from '../base/bytes.ts';
import { announcedOf, isApproved, type KnownKeys, readCurrent } from './known-keys.ts';
import { membersOf } from './ledger-members.ts';
import type { LedgerKey } from './sealed-object.ts';

const hasKey = (record: KeyRecord): record is GrantRecord | RotateRecord | ChainRecord => 'key' in record;

/**
 * Returns the proven records of the current key. Omits recovery codes of unknown owners, because
 * such codes could outlive their owners' access.
 */
export function recordsToKeep(known: KnownKeys): ReadonlyMap<string, string> {
  const { records, proven, leadsTo, kept, currentName } = known;
  const list = announcedOf(known);
  const found = new Map<string, string>();
  for (const [text, record] of records) {
    if (!hasKey(record) || hex(record.key) !== currentName) continue;
    if (record.t === 'chain' ? !leadsTo.get(record)?.length : !proven.has(record)) continue;
    const isCode = record.t === 'grant' && record.locked !== undefined;
    const owner = isCode ? (kept.get().get(text) ?? list.get(hex(record.pub))?.user) : '';
    if (owner !== undefined) found.set(text, owner);
  }
  return found;
}

/**
 * Returns kept records that are missing from the list. The rotation comes first. Omits recovery
 * codes of other users.
 */
export function lostRecords(known: KnownKeys, listed: ReadonlySet<string>): readonly string[] {
  const { records, kept, device } = known;
  if (!isApproved(known)) return [];
  const own = announcedOf(known).get(hex(device.pair.publicKey))?.user;
  const found = [...kept.get()].filter(
    ([text, owner]) => !listed.has(text) && (owner === '' || owner === own),
  );
  const isRotation = ([text]: [string, string]) => records.get(text)?.t === 'rotate';
  return found.sort((a, b) => Number(isRotation(b)) - Number(isRotation(a))).map(([text]) => text);
}

/** Returns records that a chain of keys replaces. */
export function supersededRecords(known: KnownKeys): readonly string[] {
  const { keys, records, proven, leadsTo, currentName } = known;
  const inNow = new Set(membersOf(known).map(hex));
  const isOld = (record: KeyRecord): boolean => {
    if (!hasKey(record) || hex(record.key) === currentName || !keys.has(hex(record.key))) return false;
    if (record.t === 'chain') return leadsTo.has(record);
    if (!proven.has(record)) return false;
    return record.t === 'grant' ? !inNow.has(hex(record.pub)) : keys.has(hex(record.prev));
  };
  return [...records].flatMap(([text, record]) => (isOld(record) ? [text] : []));
}

/**
 * Returns the known keys that can't be reached from the current key by following records.
 * @throws FixpointError DEVICE_NOT_APPROVED
 */
export function keysApart(known: KnownKeys): readonly LedgerKey[] {
  const found = new Set([readCurrent(known).name]);
  const steps = [...known.leadsTo].map(([record, names]) => ({ from: hex(record.key), names }));
  for (const name of found)
    for (const { from, names } of steps) if (from === name) for (const one of names) found.add(one);
  return [...known.keys.values()].filter(({ name }) => !found.has(name));
}
