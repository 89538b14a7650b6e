/**
 * Builds archives. An archive is a CAR whose first block and root is the header `{fp: {cars,
 * compact, meta: {head}}}`.
 */
import { type Block, encodeBlock } from '../codec/block.ts';
import { CAR, type Cid, cidOf, cidOfLong } from '../codec/cid.ts';
import { asArray, asMap, decodeMap, link, linkCid } from '../codec/dag-cbor.ts';
import { type BlockPlace, rootBlockOf, type WrittenCar, writeCar } from './car.ts';

export interface ArchiveHeader {
  /** Groups of other archives that a reader also needs, newest first. */
  readonly cars: readonly (readonly Cid[])[];
  /** Groups of archives that this archive replaces. */
  readonly compact: readonly (readonly Cid[])[];
  readonly head: readonly Cid[];
}

export interface Archive {
  readonly cid: Cid;
  /** The plain CAR; it is sealed before it is stored. */
  readonly bytes: Uint8Array;
  readonly blocks: readonly BlockPlace[];
}

export async function packArchive(header: ArchiveHeader, blocks: readonly Block[]): Promise<Archive> {
  const headerBlock = encodeHeader(header);
  const car = carOf(headerBlock.cid, [headerBlock, ...blocks]);
  return { cid: await cidOfLong(CAR, car.bytes), ...car };
}

export function encodeHeader({ cars, compact, head }: ArchiveHeader): Block {
  const groups = (list: ArchiveHeader['cars']) => list.map((group) => group.map(link));
  return encodeBlock({
    fp: { cars: groups(cars), compact: groups(compact), meta: { head: head.map(link) } },
  });
}

/** Packs blocks without a header, as one part of a group whose header is in another archive. */
export function packBlocks(root: Cid, blocks: readonly Block[]): Archive {
  const car = carOf(root, blocks);
  return { cid: cidOf(CAR, car.bytes), ...car };
}

/** Writes a CAR that contains each block once. */
const carOf = (root: Cid, blocks: readonly Block[]): WrittenCar =>
  writeCar([root], [...new Map(blocks.map((block) => [block.cid, block])).values()]);

/**
 * Reads the header of an archive.
 * @throws FixpointError CORRUPT, also when the first root isn't an archive header
 */
export const readArchiveHeader = (bytes: Uint8Array): ArchiveHeader => decodeHeader(rootBlockOf(bytes));

/** Decodes the block of a header. @throws FixpointError CORRUPT */
export function decodeHeader(block: Uint8Array): ArchiveHeader {
  const { cars, compact, meta } = asMap(decodeMap(block)['fp']);
  const groups = (list: unknown) => asArray(list).map((group) => asArray(group).map(linkCid));
  return { cars: groups(cars), compact: groups(compact), head: asArray(asMap(meta)['head']).map(linkCid) };
}

/**
 * Returns whether a block is a header. A header is the map `{fp: ...}`, and no other block of a
 * database begins like that.
 */
export const isHeader = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xa1 && bytes[1] === 0x62 && bytes[2] === 0x66 && bytes[3] === 0x70;
