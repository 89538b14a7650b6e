/**
 * Stores which events are withheld, and protects their archives from compaction. Tabs share these
 * rows: each event has a row of its own, so that no tab replaces what another one added.
 */
import { textOf, utf8 } from '../../../base/bytes.ts';
import { type Cid, parseCid } from '../../../codec/cid.ts';
import type { StoreChange } from '../../../ports/byte-store.ts';
import { stagedKey } from '../../../store/names.ts';

const NOTHING = new Uint8Array();

/** Withheld events with their archives, the newest ones last. */
export type WithheldList = ReadonlyMap<Cid, Cid | undefined>;

/** Returns whether two lists have the same events. */
export function isEqual(one: WithheldList, other: WithheldList): boolean {
  return one.size === other.size && [...one.keys()].every((cid) => other.has(cid));
}

/**
 * Returns the changes from one list to another, which also protect the archives.
 * @param start the start of the keys
 * @param nowMs new events sort after those of earlier calls
 */
export function rowsOf(
  start: string,
  before: WithheldList,
  after: WithheldList,
  nowMs: number,
): readonly StoreChange[] {
  if (isEqual(before, after)) return [];
  const archives = new Set([...after.values()].flatMap((archive) => archive ?? []));
  const free = new Set([...before.values()].flatMap((archive) => archive ?? []));
  const gone = [...before.keys()].filter((cid) => !after.has(cid));
  const fresh = [...after].filter(([cid]) => !before.has(cid));
  return [
    ...gone.map((cid) => ({ key: start + cid, bytes: undefined })),
    ...fresh.map(([cid, archive], at) => ({
      key: start + cid,
      bytes: utf8(`${nowMs} ${at} ${archive ?? ''}`),
    })),
    ...[...free]
      .filter((cid) => !archives.has(cid))
      .map((cid) => ({ key: stagedKey(cid), bytes: undefined })),
    ...[...archives].map((cid) => ({ key: stagedKey(cid), bytes: NOTHING })),
  ];
}

/**
 * Returns the list in rows.
 * @throws FixpointError CORRUPT
 */
export function listIn(start: string, rows: ReadonlyMap<string, Uint8Array>): WithheldList {
  const list = [...rows].map(([key, bytes]) => {
    const [ms, at, archive = ''] = textOf(bytes).split(' ');
    return { cid: parseCid(key.slice(start.length)), ms: Number(ms), at: Number(at), archive };
  });
  list.sort((a, b) => a.ms - b.ms || a.at - b.at);
  return new Map(list.map(({ cid, archive }) => [cid, archive === '' ? undefined : parseCid(archive)]));
}
