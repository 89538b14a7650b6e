/**
 * A meta entry says which archives hold a head: JSON `{cid, parents, data}`, where `data` is multibase base64pad (`M`) of a dag-cbor block
 * `{data: {dbMeta: bytes}, parents: [links]}`, `cid` the CID of that block, and `dbMeta` the text `{"cars":[{"/":"<cid>"}]}`. A reader goes by `data` alone.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { textOf, utf8 } from '../base/bytes.ts';
import { encodeBlock } from '../codec/block.ts';
import { type Cid, compareCidBytes, parseCid } from '../codec/cid.ts';
import { asMap, decodeMap, link } from '../codec/dag-cbor.ts';

/** @param parents entries that this one follows; who reads the ledger goes by the archives alone */
export function encodeMetaEntry(cars: readonly Cid[], parents: readonly Cid[] = []): MetaEntry {
  const dbMeta = utf8(JSON.stringify({ cars: cars.map((cid) => ({ '/': cid })) }));
  const { cid, bytes } = encodeBlock({
    data: { dbMeta },
    parents: [...parents].sort(compareCidBytes).map(link),
  });
  return { cid, parents: [...parents], data: `M${btoa(String.fromCharCode(...bytes))}` };
}

/** The archive group of an entry, header first. @throws FixpointError CORRUPT */
export function decodeMetaEntry({ data }: MetaEntry): readonly [Cid, ...Cid[]] {
  try {
    if (!data.startsWith('M')) throw new Error('not base64pad');
    const bytes = Uint8Array.from(atob(data.slice(1)), (char) => char.charCodeAt(0));
    const { dbMeta } = asMap(decodeMap(bytes)['data']);
    if (!(dbMeta instanceof Uint8Array)) throw new Error('no dbMeta');
    const { cars } = JSON.parse(textOf(dbMeta)) as { cars: { '/': unknown }[] };
    const [first, ...others] = cars.map((car) => parseCid(car['/']));
    if (first === undefined) throw new Error('no archives');
    return [first, ...others];
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'meta entry', { cause });
  }
}
