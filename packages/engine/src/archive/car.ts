/**
 * CARv1: varint length + dag-cbor `{roots, version: 1}`, then for each block varint length + CID +
 * bytes. Lengths are untrusted: a length beyond the end of the file is rejected before any
 * allocation. `readCar` also rejects blocks whose bytes don't match their CID.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import type { Block } from '../codec/block.ts';
import { CID_BYTES, type Cid, cidFromBytes, cidToBytes, writeCid } from '../codec/cid.ts';
import { asArray, decodeMap, encode, link, linkCid } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';

/** The place of a block inside the plain bytes of an archive. */
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
  let size = varintBytes(header.length) + header.length;
  for (const { bytes } of blocks) size += varintBytes(CID_BYTES + bytes.length) + CID_BYTES + bytes.length;
  const car = new Uint8Array(size);
  let at = writeVarint(car, 0, header.length);
  car.set(header, at);
  at += header.length;
  const places: BlockPlace[] = [];
  for (const { cid, bytes } of blocks) {
    at = writeVarint(car, at, CID_BYTES + bytes.length);
    writeCid(cid, car, at);
    at += CID_BYTES;
    car.set(bytes, at);
    places.push({ cid, offset: at, length: bytes.length });
    at += bytes.length;
  }
  return { bytes: car, blocks: places };
}

/** Returns the blocks of a CAR, each verified against its CID. @throws FixpointError CORRUPT */
export function readCar(bytes: Uint8Array): Car {
  const car = scanCar(bytes);
  // The digest is the end of the CID, which is directly before the content.
  for (const { cid, offset, length } of car.blocks)
    if (!endsWith(bytes, offset, sha256(bytes.subarray(offset, offset + length))))
      throw new FixpointError('CORRUPT', `block ${cid} has other content`);
  return car;
}

function endsWith(bytes: Uint8Array, end: number, tail: Uint8Array): boolean {
  const start = end - tail.length;
  for (let at = 0; at < tail.length; at++) if (bytes[start + at] !== tail[at]) return false;
  return true;
}

/**
 * Returns the block of the first root without reading the blocks after it.
 * @throws FixpointError CORRUPT, also if no block belongs to the root
 */
export function rootBlockOf(bytes: Uint8Array): Uint8Array {
  const { roots, end: first } = headerOf(bytes);
  const cid = cidToBytes(linkCid(roots[0]));
  for (let at = first; at < bytes.length; ) {
    const { offset, end } = blockAt(bytes, at);
    if (endsWith(bytes, offset, cid)) return bytes.subarray(offset, end);
    at = end;
  }
  throw new FixpointError('CORRUPT', 'CAR without its root');
}

/**
 * Returns the blocks of a CAR without verifying their content.
 * @param blocksMax maximum number of blocks to return; all by default
 * @throws FixpointError CORRUPT
 */
export function scanCar(bytes: Uint8Array, blocksMax = Number.POSITIVE_INFINITY): Car {
  const { roots, end: first } = headerOf(bytes);
  const blocks: BlockPlace[] = [];
  for (let at = first; at < bytes.length && blocks.length < blocksMax; ) {
    const { start, offset, end } = blockAt(bytes, at);
    blocks.push({ cid: cidFromBytes(bytes.subarray(start, offset)), offset, length: end - offset });
    at = end;
  }
  return { roots: roots.map(linkCid), blocks };
}

/** Returns the roots of a CAR, and the end of its header. */
function headerOf(bytes: Uint8Array): { readonly roots: readonly unknown[]; readonly end: number } {
  const { start, end } = sectionAt(bytes, 0);
  const { roots, version } = decodeMap(bytes.subarray(start, end));
  if (version !== 1) throw new FixpointError('CORRUPT', 'not a CAR of version 1');
  return { roots: asArray(roots), end };
}

/** Returns where the CID of a block starts, and where its content starts and ends. */
function blockAt(bytes: Uint8Array, at: number) {
  const { start, end } = sectionAt(bytes, at);
  const offset = start + CID_BYTES;
  if (offset > end) throw new FixpointError('CORRUPT', 'CAR section without a CID');
  return { start, offset, end };
}

/**
 * Returns whether the length and CID of a block are directly before `offset`. Doesn't read the
 * content of the block.
 */
export function hasSectionAt(car: Uint8Array, cid: Cid, offset: number, length: number): boolean {
  const lengthBytes = varintBytes(CID_BYTES + length);
  const front = new Uint8Array(lengthBytes + CID_BYTES);
  writeVarint(front, 0, CID_BYTES + length);
  writeCid(cid, front, lengthBytes);
  const start = offset - front.length;
  return start >= 0 && offset + length <= car.length && equalBytes(front, car.subarray(start, offset));
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

export function varintBytes(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes a varint. Returns the offset after it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) | 0x80;
  target[at++] = rest;
  return at;
}
