/**
 * An archive made of blocks of others: their bytes are copied with the CIDs in front of them, and
 * not looked at.
 */
import { CAR, CID_BYTES, type Cid, cidOfLong } from '../codec/cid.ts';
import { encodeBlockIndex } from './block-index.ts';
import { varintBytes, writeCar, writeVarint } from './car.ts';
import { type ArchiveHeader, encodeHeader } from './pack.ts';

/** A block where it lies in a CAR. */
export interface Section {
  readonly car: Uint8Array;
  readonly offset: number;
  readonly length: number;
}

export interface JoinedArchive {
  readonly cid: Cid;
  /** The plain CAR; it is sealed before it is stored. */
  readonly bytes: Uint8Array;
  readonly index: Uint8Array;
}

/** @param sections each block once */
export async function joinArchives(
  header: ArchiveHeader,
  sections: readonly Section[],
): Promise<JoinedArchive> {
  const headerBlock = encodeHeader(header);
  const start = writeCar([headerBlock.cid], [headerBlock]);
  let size = start.bytes.length;
  for (const { length } of sections) size += varintBytes(CID_BYTES + length) + CID_BYTES + length;
  const bytes = new Uint8Array(size);
  bytes.set(start.bytes);
  let at = start.bytes.length;
  const places = sections.map(({ car, offset, length }) => {
    at = writeVarint(bytes, at, CID_BYTES + length);
    bytes.set(car.subarray(offset - CID_BYTES, offset + length), at);
    at += CID_BYTES + length;
    return { offset: at - length, length };
  });
  const index = encodeBlockIndex([...start.blocks, ...places], bytes);
  return { cid: await cidOfLong(CAR, bytes), bytes, index };
}
