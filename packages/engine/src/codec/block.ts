import { type Cid, cidOf, DAG_CBOR } from './cid.ts';
import { encode } from './dag-cbor.ts';

/** Bytes with their CID. A block never changes. */
export interface Block {
  readonly cid: Cid;
  readonly bytes: Uint8Array;
}

/** Reads a block. @throws FixpointError MISSING_BLOCK, CORRUPT */
export type ReadBlock = (cid: Cid) => Promise<Uint8Array>;

export interface ReadBlocks {
  /** Reads many blocks, in this order. @throws as {@link ReadBlock} */
  (cids: readonly Cid[]): Promise<readonly Uint8Array[]>;
  /**
   * Returns numbers by which blocks can be sorted, so that neighbours are stored next to each
   * other: 2^32 times the number of the archive, plus the number of the block in it. Reading many
   * blocks in that order opens each archive once. Returns undefined if all archives fit in memory,
   * where the order makes no difference. An undefined CID has no block.
   */
  placesOf?(cids: readonly (Cid | undefined)[]): Promise<Float64Array | undefined>;
}

export function blockOf(bytes: Uint8Array, codec = DAG_CBOR): Block {
  return { cid: cidOf(codec, bytes), bytes };
}

export const encodeBlock = (value: unknown): Block => blockOf(encode(value));
