import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { type Cid, cidToBytes, DIGEST_AT } from '../codec/cid.ts';

/** Selects rows of a block index. */
export type ChooseRow = (index: Uint8Array, row: number) => boolean;

/**
 * A set of blocks by 48 bits of their digest. With it, a million rows of a block index can be
 * checked without creating the text of each CID. A collision is very unlikely. Where a collision
 * would lose data, callers compare the CIDs.
 */
export class BlockSet {
  readonly #keys = new Set<number>();

  constructor(cids: Iterable<Cid>) {
    for (const cid of cids) this.#keys.add(digestKey(cidToBytes(cid), 0));
  }

  readonly mayHave: ChooseRow = (index, row) => this.#keys.has(digestKey(index, row * BLOCK_ROW_BYTES));
}

/** Returns 48 bits of the digest of the CID that starts at `at`. */
export function digestKey(bytes: Uint8Array, at: number): number {
  const byte = (offset: number) => bytes[at + DIGEST_AT + offset] as number;
  const high = ((byte(0) << 16) | (byte(1) << 8) | byte(2)) >>> 0;
  const low = ((byte(3) << 16) | (byte(4) << 8) | byte(5)) >>> 0;
  return high * 0x100_0000 + low;
}
