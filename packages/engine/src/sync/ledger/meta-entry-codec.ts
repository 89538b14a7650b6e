/**
 * Encodes meta entries. An entry names the archives that hold a head: JSON `{cid, parents, data}`.
 *
 * - `data` is multibase base64pad (`M`) of a dag-cbor block `{data: {dbMeta: bytes, head: [links]},
 *   parents: [links]}`. Readers use only `data` once they have checked the `cid`.
 * - `cid` is the CID of that block.
 * - `dbMeta` is the text `{"cars":[{"/":"<cid>"}]}`.
 * - `head` is the head in the header of the first archive; existing clients neither write nor
 *   read it.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { Head } from '../../clock/event.ts';
import { encodeBlock } from '../../codec/block.ts';
import { type Cid, cidOf, compareCidBytes, DAG_CBOR, parseCid } from '../../codec/cid.ts';
import { asArray, asMap, decodeMap, link, linkCid } from '../../codec/dag-cbor.ts';
import type { EntryContent } from './ledger-sealing.ts';

/**
 * Encodes an entry.
 * @param parents entries that this entry follows; readers of the ledger ignore the parents
 */
export function encodeMetaEntry(cars: readonly Cid[], parents: readonly Cid[] = [], head?: Head): MetaEntry {
  const dbMeta = utf8(JSON.stringify({ cars: cars.map((cid) => ({ '/': cid })) }));
  const { cid, bytes } = encodeBlock({
    data: { dbMeta, ...(head && { head: head.map(link) }) },
    parents: [...parents].sort(compareCidBytes).map(link),
  });
  return {
    cid,
    parents: [...parents],
    data: `M${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`,
  };
}

/**
 * Decodes an entry.
 * @throws FixpointError CORRUPT, also when `cid` isn't the CID of `data`
 */
export function decodeMetaEntry({ cid, data }: MetaEntry): EntryContent {
  return decoded(data, (bytes) => cidOf(DAG_CBOR, bytes) === cid);
}

/**
 * Decodes an entry without its CID, as existing clients store it on a device.
 * @throws FixpointError CORRUPT
 */
export const decodeMetaData = (data: string): EntryContent => decoded(data, () => true);

function decoded(data: string, isNamed: (bytes: Uint8Array) => boolean): EntryContent {
  try {
    if (!data.startsWith('M')) throw new Error('not base64pad');
    const bytes = Uint8Array.from(atob(data.slice(1)), (char) => char.charCodeAt(0));
    if (!isNamed(bytes)) throw new Error('other data');
    const { dbMeta, head = [] } = asMap(decodeMap(bytes)['data']);
    if (!(dbMeta instanceof Uint8Array)) throw new Error('no dbMeta');
    const { cars } = JSON.parse(textOf(dbMeta)) as { cars: { '/': unknown }[] };
    const [first, ...others] = cars.map((car) => parseCid(car['/']));
    if (first === undefined) throw new Error('no archives');
    return { group: [first, ...others], head: asArray(head).map(linkCid) };
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'meta entry', { cause });
  }
}
