/**
 * Stored nodes of an index. One row, a pack, contains many nodes. A second row, the directory of
 * the pack, contains their places.
 *
 * Pack: the bytes of the nodes, concatenated. Directory: for each node its CID (36 bytes) and its
 * length (4 bytes, big endian). The name of a pack is the hash of its bytes. A node is checked
 * against its CID when it is read.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes } from '../base/bytes.ts';
import { CID_BYTES, type Cid, cidFromBytes, cidOf, cidToBytes, RAW } from '../codec/cid.ts';

const LENGTH_BYTES = 4;
const ENTRY_BYTES = CID_BYTES + LENGTH_BYTES;
/** Small, because a query reads whole packs; not smaller, because each row has a fixed cost. */
export const PACK_BYTES_MAX = 128_000;

export interface PackedNode {
  readonly cid: Cid;
  readonly bytes: Uint8Array;
}

export interface NodePlace {
  readonly cid: Cid;
  readonly offset: number;
  readonly length: number;
}

export interface NodePack {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly places: readonly NodePlace[];
}

/** Packs all nodes, in order. */
export function* packNodes(nodes: Iterable<PackedNode>): Generator<NodePack> {
  let group: PackedNode[] = [];
  let size = 0;
  for (const node of nodes) {
    if (group.length > 0 && size + node.bytes.length > PACK_BYTES_MAX) {
      yield packOf(group);
      group = [];
      size = 0;
    }
    group.push(node);
    size += node.bytes.length;
  }
  if (group.length > 0) yield packOf(group);
}

function packOf(nodes: readonly PackedNode[]): NodePack {
  const bytes = concatBytes(nodes.map((node) => node.bytes));
  let offset = 0;
  const places = nodes.map(({ cid, bytes: { length } }) => {
    const place = { cid, offset, length };
    offset += length;
    return place;
  });
  return { name: cidOf(RAW, bytes), bytes, places };
}

export function encodeDirectory(places: readonly NodePlace[]): Uint8Array {
  const bytes = new Uint8Array(places.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  places.forEach(({ cid, length }, at) => {
    bytes.set(cidToBytes(cid), at * ENTRY_BYTES);
    view.setUint32(at * ENTRY_BYTES + CID_BYTES, length);
  });
  return bytes;
}

/** @throws FixpointError CORRUPT */
export function decodeDirectory(bytes: Uint8Array): NodePlace[] {
  if (bytes.length % ENTRY_BYTES !== 0) throw new FixpointError('CORRUPT', 'not the directory of an index');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const places: NodePlace[] = [];
  let offset = 0;
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const length = view.getUint32(at + CID_BYTES);
    places.push({ cid: cidFromBytes(bytes.subarray(at, at + CID_BYTES)), offset, length });
    offset += length;
  }
  return places;
}
