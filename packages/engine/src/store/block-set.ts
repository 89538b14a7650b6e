import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { type Cid, cidToBytes, DIGEST_AT } from '../codec/cid.ts';

/** Adding this number of CIDs takes about a millisecond. */
const CIDS_BETWEEN_PAUSES = 1000;

/** Selects rows of a block index. */
export type ChooseRow = (index: Uint8Array, row: number) => boolean;

/**
 * A set of blocks by 48 bits of their digest. With it, a million rows of a block index can be
 * checked without creating the text of each CID. A collision is very unlikely. Where a collision
 * would lose data, callers compare the CIDs.
 */
export class BlockSet {
  readonly #keys = new Set<number>();

  private constructor() {}

  /** @param pause lets other work run; called now and then */
  static async of(cids: Iterable<Cid>, pause?: () => Promise<void>): Promise<BlockSet> {
    const set = new BlockSet();
    for (const cid of cids) {
      set.#keys.add(digestKey(cidToBytes(cid), 0));
      if (set.#keys.size % CIDS_BETWEEN_PAUSES === 0) await pause?.();
    }
    return set;
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
