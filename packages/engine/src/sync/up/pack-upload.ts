/**
 * Packs the blocks of many small archives into a few archives that are large enough for a transfer.
 */
import { LIMITS } from '@fixpoint/protocol';
import { type Archive, isHeader, packBlocks } from '../../archive/pack.ts';
import type { Block } from '../../codec/block.ts';
import { CID_BYTES, type Cid } from '../../codec/cid.ts';

const PART_BYTES_MAX = LIMITS.archiveBytesThreshold;
/**
 * Size from which a part ends at the next archive boundary. Parts that contain whole archives
 * needn't be sent again when a big upload is interrupted.
 */
const PART_BYTES_GOOD = PART_BYTES_MAX / 2;

export interface Parts {
  readonly archives: readonly Archive[];
  /** Local archives that these parts contain, each as a whole. */
  readonly covered: readonly Cid[];
}

export interface UploadPacker {
  add(archive: Cid, blocks: readonly Block[]): void;
  /** Returns the parts that are complete and weren't taken yet. */
  takeReady(): Parts;
  /** Returns everything not taken yet. `blocks` are too few for a separate part. */
  finish(): Parts & { readonly blocks: readonly Block[] };
}

export function createUploadPacker(): UploadPacker {
  let ready: Parts = { archives: [], covered: [] };
  let closed: Archive[] = [];
  let covered: Cid[] = [];
  let blocks: Block[] = [];
  let size = 0;

  function close(): void {
    const [first] = blocks;
    if (first !== undefined) closed.push(packBlocks(first.cid, blocks));
    blocks = [];
    size = 0;
  }

  return {
    add: (archive, more) => {
      if (size >= PART_BYTES_GOOD) {
        close();
        ready = {
          archives: [...ready.archives, ...closed],
          covered: [...ready.covered, ...covered],
        };
        closed = [];
        covered = [];
      }
      for (const block of more) {
        if (size >= PART_BYTES_MAX) close();
        blocks.push(block);
        size += CID_BYTES + block.bytes.length;
      }
      covered.push(archive);
    },
    takeReady: () => {
      const taken = ready;
      ready = { archives: [], covered: [] };
      return taken;
    },
    finish: () => ({
      archives: [...ready.archives, ...closed],
      covered: [...ready.covered, ...covered],
      blocks,
    }),
  };
}

/** Returns the blocks of a local archive without its header, which is only valid on this device. */
export const withoutHeaders = (blocks: readonly Block[]): readonly Block[] =>
  blocks.filter(({ bytes }) => !isHeader(bytes));
