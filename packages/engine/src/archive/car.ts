/**
 * CARv1: varint length + dag-cbor `{roots, version: 1}`, then for each block varint length + CID + bytes. Lengths come from outside: one that reaches
 * past the end is refused before anything is allocated.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes } from '../base/bytes.ts';
import type { Block } from '../codec/block.ts';
import { CID_BYTES, type Cid, cidFromBytes, cidToBytes } from '../codec/cid.ts';
import { asArray, decodeMap, encode, link, linkCid } from '../codec/dag-cbor.ts';

/** Where a block lies inside of the plain bytes of an archive. */
export interface BlockPlace {
  readonly cid: Cid;
  readonly offset: number;
  readonly length: number;
}

export interface Car {
  readonly roots: readonly Cid[];
  readonly blocks: readonly BlockPlace[];
}

export interface WrittenCar {
  readonly bytes: Uint8Array;
  readonly blocks: readonly BlockPlace[];
}

export function writeCar(roots: readonly Cid[], blocks: readonly Block[]): WrittenCar {
  const header = encode({ roots: roots.map(link), version: 1 });
  const parts = [varint(header.length), header];
  let at = (parts[0]?.length ?? 0) + header.length;
  const places: BlockPlace[] = [];
  for (const { cid, bytes } of blocks) {
    const length = varint(CID_BYTES + bytes.length);
    parts.push(length, cidToBytes(cid), bytes);
    places.push({ cid, offset: at + length.length + CID_BYTES, length: bytes.length });
    at += length.length + CID_BYTES + bytes.length;
  }
  return { bytes: concatBytes(parts), blocks: places };
}

/** @throws FixpointError CORRUPT */
export function readCar(bytes: Uint8Array): Car {
  const header = sectionAt(bytes, 0);
  const { roots, version } = decodeMap(bytes.subarray(header.start, header.end));
  if (version !== 1) throw new FixpointError('CORRUPT', 'not a CAR of version 1');
  const blocks: BlockPlace[] = [];
  for (let at = header.end; at < bytes.length; ) {
    const { start, end } = sectionAt(bytes, at);
    if (end - start < CID_BYTES) throw new FixpointError('CORRUPT', 'CAR section without a CID');
    const offset = start + CID_BYTES;
    blocks.push({ cid: cidFromBytes(bytes.subarray(start, offset)), offset, length: end - offset });
    at = end;
  }
  return { roots: asArray(roots).map(linkCid), blocks };
}

function sectionAt(bytes: Uint8Array, at: number): { start: number; end: number } {
  let length = 0;
  let start = at;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[start++];
    if (byte === undefined || shift > 28) throw new FixpointError('CORRUPT', 'CAR ends inside of a length');
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (length > bytes.length - start) throw new FixpointError('CORRUPT', 'CAR section reaches past the end');
  return { start, end: start + length };
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}
