/**
 * A file archive: a CAR of raw blocks, whose roots are the CIDs of files. It has no header block.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Block } from '../codec/block.ts';
import { CAR, type Cid, cidOfLong, codecOf } from '../codec/cid.ts';
import { scanCar, writeCar } from './car.ts';

export interface FileArchive {
  readonly cid: Cid;
  /** The plain CAR; it is sealed before it is stored. */
  readonly bytes: Uint8Array;
}

export async function packFiles(roots: readonly Cid[], blocks: readonly Block[]): Promise<FileArchive> {
  const { bytes } = writeCar(roots, [...new Map(blocks.map((block) => [block.cid, block])).values()]);
  return { cid: await cidOfLong(CAR, bytes), bytes };
}

/**
 * Returns the raw blocks of a file archive, each verified against its CID.
 * @throws FixpointError CORRUPT
 */
export async function fileBlocks(car: Uint8Array): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const { cid, offset, length } of scanCar(car).blocks) {
    const bytes = car.subarray(offset, offset + length);
    if ((await cidOfLong(codecOf(cid), bytes)) !== cid)
      throw new FixpointError('CORRUPT', `block ${cid} has other content`);
    blocks.push({ cid, bytes });
  }
  return blocks;
}
