/**
 * A meta entry says which archives hold a head: JSON `{cid, parents, data}`, where data is base64pad (`M`) of a block `{data: {dbMeta}, parents}` and dbMeta the
 * bytes of the text `{"cars":[{"/":"<cid>"}]}`.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { textOf, utf8 } from '../base/bytes.ts';
import { encodeBlock } from '../codec/block.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import { asMap, decodeMap } from '../codec/dag-cbor.ts';

export function encodeMetaEntry(cars: readonly Cid[]): MetaEntry {
  const dbMeta = utf8(JSON.stringify({ cars: cars.map((cid) => ({ '/': cid })) }));
  const { cid, bytes } = encodeBlock({ data: { dbMeta }, parents: [] });
  return { cid, parents: [], data: `M${btoa(String.fromCharCode(...bytes))}` };
}

/** The archive group of an entry, header first. @throws FixpointError CORRUPT */
export function decodeMetaEntry({ data }: MetaEntry): readonly Cid[] {
  try {
    const bytes = Uint8Array.from(atob(data.slice(1)), (char) => char.charCodeAt(0));
    const { dbMeta } = asMap(decodeMap(bytes)['data']);
    const { cars } = JSON.parse(textOf(dbMeta as Uint8Array)) as { cars: { '/': unknown }[] };
    if (cars.length === 0) throw new Error('no archives');
    return cars.map((car) => parseCid(car['/']));
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'meta entry', { cause });
  }
}
