/**
 * The stored form of an archive's block index: 36 bytes of CID, 4 of offset and 4 of length for
 * each block, big-endian.
 */
import { FixpointError } from '@fixpoint/protocol';
import { CID_BYTES, cidFromBytes } from '../codec/cid.ts';
import type { BlockPlace } from './car.ts';

export const BLOCK_ROW_BYTES = CID_BYTES + 8;

/**
 * Encodes a block index.
 * @param car the CAR that contains the blocks, each directly after its CID
 */
export function encodeBlockIndex(blocks: readonly Omit<BlockPlace, 'cid'>[], car: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(blocks.length * BLOCK_ROW_BYTES);
  const view = new DataView(bytes.buffer);
  blocks.forEach(({ offset, length }, row) => {
    const at = row * BLOCK_ROW_BYTES;
    bytes.set(car.subarray(offset - CID_BYTES, offset), at);
    view.setUint32(at + CID_BYTES, offset);
    view.setUint32(at + CID_BYTES + 4, length);
  });
  return bytes;
}

/** @throws FixpointError CORRUPT */
export function decodeBlockIndex(
  bytes: Uint8Array,
  isWanted: (bytes: Uint8Array, row: number) => boolean = () => true,
): BlockPlace[] {
  const places: BlockPlace[] = [];
  const count = countBlockRows(bytes);
  for (let row = 0; row < count; row++) {
    if (!isWanted(bytes, row)) continue;
    const at = row * BLOCK_ROW_BYTES;
    places.push({ cid: cidFromBytes(bytes.subarray(at, at + CID_BYTES)), ...blockRow(bytes, row) });
  }
  return places;
}

/** @throws FixpointError CORRUPT */
function countBlockRows(bytes: Uint8Array): number {
  if (bytes.length % BLOCK_ROW_BYTES !== 0)
    throw new FixpointError('CORRUPT', 'block index of a wrong length');
  return bytes.length / BLOCK_ROW_BYTES;
}

/** Returns the place of a row's block in the archive. */
export function blockRow(bytes: Uint8Array, row: number): { offset: number; length: number } {
  const at = row * BLOCK_ROW_BYTES + CID_BYTES;
  return { offset: uint32At(bytes, at), length: uint32At(bytes, at + 4) };
}

/** Reads the bytes directly, because creating a DataView takes longer. */
const uint32At = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)) >>>
  0;

/** Returns the length of the plain archive. */
export function plainBytesOf(index: Uint8Array): number {
  const count = countBlockRows(index);
  if (count === 0) return 0;
  const { offset, length } = blockRow(index, count - 1);
  return offset + length;
}
