/** Puts blocks of some archives into new ones, ahead of the step in which these take their place. Until then nothing lists them. */
import { LIMITS } from '@fixpoint/protocol';
import { encodeBlockIndex } from '../archive/block-index.ts';
import { packArchive } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Archives } from '../store/archives.ts';
import type { ChooseRow } from '../store/block-set.ts';
import { archiveKey } from '../store/names.ts';

export interface RewriteGroup {
  readonly sources: readonly Cid[];
  /** Whether the blocks wait for upload. */
  readonly pending: boolean;
}

/** An archive that is stored, or comes with the step that lists it. */
export interface MadeArchive {
  readonly cid: Cid;
  readonly index: Uint8Array;
  /** Where its blocks come from. */
  readonly sources: readonly Cid[];
  readonly pending: boolean;
}

export interface Rewritten {
  readonly made: readonly MadeArchive[];
  /** The bytes of what was made last: they are stored with the step that lists them. */
  readonly rest: readonly StoreChange[];
}

/** So much may wait for the step that lists it, which holds up writers: what is more is stored ahead of it. */
const REST_BYTES_MAX = LIMITS.archiveBytesThreshold / 16;

/**
 * @param isKept which blocks go on; those that several sources of a group hold go on once
 * @param mayBeKept a quick look at the rows of the block index; absent, all may
 */
export async function rewrite(
  archives: Archives,
  store: ByteStore,
  groups: readonly RewriteGroup[],
  head: Head,
  isKept: (block: Block) => boolean,
  mayBeKept?: ChooseRow,
): Promise<Rewritten> {
  const made: MadeArchive[] = [];
  let rest: StoreChange[] = [];
  let restBytes = 0;

  async function close(blocks: readonly Block[], sources: Iterable<Cid>, pending: boolean): Promise<void> {
    if (blocks.length === 0) return;
    const from = [...sources];
    const archive = await packArchive({ cars: [], compact: [from], head }, blocks);
    for (const change of await archives.changesFor([archive]))
      if (change.key === archiveKey(archive.cid)) rest.push(change);
    made.push({ cid: archive.cid, index: encodeBlockIndex(archive.blocks), sources: from, pending });
    restBytes += archive.bytes.length;
    if (restBytes < REST_BYTES_MAX) return;
    await store.write(rest);
    rest = [];
    restBytes = 0;
  }

  for (const { sources, pending } of groups) {
    const taken = new Set<Cid>();
    let blocks: Block[] = [];
    let from = new Set<Cid>();
    let size = 0;
    for (const source of sources) {
      for (const block of await archives.blocksOf(source, mayBeKept)) {
        if (!isKept(block) || taken.has(block.cid)) continue;
        taken.add(block.cid);
        blocks.push(block);
        from.add(source);
        size += block.bytes.length;
        if (size < LIMITS.archiveBytesThreshold) continue;
        await close(blocks, from, pending);
        blocks = [];
        from = new Set();
        size = 0;
      }
    }
    await close(blocks, from, pending);
  }
  return { made, rest };
}
