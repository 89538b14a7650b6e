/**
 * Builds an archive from blocks of other archives. Copies the CIDs and bytes of the blocks without
 * decoding them.
 */
import { CAR, CID_BYTES, type Cid, cidOfLong } from '../codec/cid.ts';
import { encodeBlockIndex } from './block-index.ts';
import { varintBytes, writeCar, writeVarint } from './car.ts';
import { type ArchiveHeader, encodeHeader } from './pack.ts';

/** A block and its position in a CAR. */
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

/**
 * Joins blocks into one archive.
 * @param sections must contain each block once
 */
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
