/** A file archive: a CAR of raw blocks, whose roots are the CIDs of files. It has no header block. */
import type { Block } from '../codec/block.ts';
import { CAR, type Cid, cidOf } from '../codec/cid.ts';
import { readCar, writeCar } from './car.ts';

export interface FileArchive {
  readonly cid: Cid;
  /** The plain CAR; it is sealed before it is stored. */
  readonly bytes: Uint8Array;
}

export function packFiles(roots: readonly Cid[], blocks: readonly Block[]): FileArchive {
  const { bytes } = writeCar(roots, [...new Map(blocks.map((block) => [block.cid, block])).values()]);
  return { cid: cidOf(CAR, bytes), bytes };
}

/** The raw blocks of a file archive, each with the content that its CID names. @throws FixpointError CORRUPT */
export const fileBlocks = (car: Uint8Array): Block[] =>
  readCar(car).blocks.map(({ cid, offset, length }) => ({
    cid,
    bytes: car.subarray(offset, offset + length),
  }));
