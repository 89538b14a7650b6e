/** Stores which events are withheld, and protects their archives from compaction. */
import { type Cid, parseCid } from '../../../codec/cid.ts';
import { asArray, asText, decode, encode } from '../../../codec/dag-cbor.ts';
import type { StoreChange } from '../../../ports/byte-store.ts';
import { stagedKey } from '../../../store/names.ts';

const NOTHING = new Uint8Array();

/** Withheld events, with their archives. */
export type WithheldList = ReadonlyMap<Cid, Cid | undefined>;

/** Returns whether two lists have the same events. */
export function isEqual(one: WithheldList, other: WithheldList): boolean {
  return one.size === other.size && [...one.keys()].every((cid) => other.has(cid));
}

/** Returns the changes that replace the list of withheld events, and protect their archives. */
export function rowsOf(row: string, before: WithheldList, after: WithheldList): readonly StoreChange[] {
  if (isEqual(before, after)) return [];
  const archives = new Set([...after.values()].flatMap((archive) => archive ?? []));
  const free = new Set([...before.values()].flatMap((archive) => archive ?? []));
  const list = [...after].map(([cid, archive]) => [cid, archive ?? '']);
  return [
    { key: row, bytes: list.length === 0 ? undefined : encode(list) },
    ...[...free]
      .filter((cid) => !archives.has(cid))
      .map((cid) => ({ key: stagedKey(cid), bytes: undefined })),
    ...[...archives].map((cid) => ({ key: stagedKey(cid), bytes: NOTHING })),
  ];
}

/** @throws FixpointError CORRUPT */
export function decodeList(bytes: Uint8Array | undefined): WithheldList {
  const list = bytes === undefined ? [] : asArray(decode(bytes)).map(asArray);
  return new Map(
    list.map(([cid, archive]) => [
      parseCid(asText(cid)),
      archive === '' ? undefined : parseCid(asText(archive)),
    ]),
  );
}
