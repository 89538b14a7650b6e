import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { DIGEST_AT } from '../codec/cid.ts';
import type { CidSet } from '../codec/cid-set.ts';

/** Selects rows of a block index. */
export type ChooseRow = (index: Uint8Array, row: number) => boolean;

/** Selects the rows of the blocks in a set. */
export const rowsOf =
  (set: Pick<CidSet, 'hasAt'>): ChooseRow =>
  (index, row) =>
    set.hasAt(index, row * BLOCK_ROW_BYTES);

/** Returns 48 bits of the digest of the CID that starts at `at`. */
export function digestKey(bytes: Uint8Array, at: number): number {
  const byte = (offset: number) => bytes[at + DIGEST_AT + offset] as number;
  const high = ((byte(0) << 16) | (byte(1) << 8) | byte(2)) >>> 0;
  const low = ((byte(3) << 16) | (byte(4) << 8) | byte(5)) >>> 0;
  return high * 0x100_0000 + low;
}
