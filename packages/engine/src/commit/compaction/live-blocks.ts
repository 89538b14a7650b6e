/** Finds the live blocks that compaction keeps: docs/decisions/0020. */
import { isFixpointError } from '@fixpoint/protocol';
import { commonAncestor } from '../../clock/common-ancestor.ts';
import type { Head } from '../../clock/event.ts';
import { GENESIS_EVENT, type Genesis } from '../../clock/genesis.ts';
import { historyOf } from '../../clock/history-order.ts';
import { collectSurvivingWrites } from '../../clock/surviving-writes.ts';
import type { Cid } from '../../codec/cid.ts';
import { CidSet } from '../../codec/cid-set.ts';
import { walkLevels } from '../../trie/walk-levels.ts';
import type { Readers, Snapshot } from '../snapshot.ts';

/** How much of the past stays readable. */
export interface Retention {
  /** Number of newest commits to keep readable. */
  readonly commits: number;
  /**
   * Maximum size of the data that only past states need. A quarter of the size of the current data
   * is added to this limit.
   */
  readonly bytes: number;
}

/** The retention that compaction applies by default: docs/decisions/0020 */
export const RETENTION: Retention = { commits: 1000, bytes: 400_000 };

/** A step adds a block, which takes microseconds, or decodes a shard. */
const STEPS_BETWEEN_PAUSES = 100;

export interface LiveBasis {
  readonly snapshot: Snapshot;
  readonly former: Head;
  /** Snapshots that readers hold. */
  readonly held: readonly Snapshot[];
  readonly readers: Readers;
  readonly genesis: Genesis;
  readonly retention: Retention;
  readonly mayDropEvents: boolean;
  /** Returns the bytes of a stored block. */
  sizeOf(cid: Cid): number;
  /** Lets other work run if that is due. */
  pause(): Promise<void>;
}

export interface LiveBlocks {
  readonly cids: Pick<CidSet, 'has' | 'hasAt' | 'firstOfEach'>;
  /** The oldest event that is kept; undefined if no events are dropped. */
  readonly horizon: Cid | undefined;
  /** Keeps an event that isn't part of the history yet. */
  keepEvent(cid: Cid): Promise<void>;
}

/**
 * Finds all live blocks.
 * @throws FixpointError MISSING_BLOCK, CORRUPT when current data is missing or any data is damaged.
 * Then the caller must not drop anything.
 */
export async function liveBlocks(basis: LiveBasis): Promise<LiveBlocks> {
  const { readers, snapshot, retention, sizeOf } = basis;
  const live = CidSet.of(basis.genesis.blocks.map(({ cid }) => cid));
  const tries = trieKeeper(basis, live);
  let bytes = await tries.keep(snapshot.root);
  for (const { root } of basis.held) bytes += await tries.keep(root);
  if (snapshot.head.length > 1) {
    const ancestor = await commonAncestor(snapshot.head, readers.event);
    if (ancestor !== undefined) bytes += await tries.keepIfWhole((await readers.event(ancestor)).root);
  }
  let spare = retention.bytes + bytes / 4;

  const surviving = collectSurvivingWrites();
  let horizon: Cid | undefined;
  let count = 0;
  for await (const one of historyOf(snapshot.head, readers.event, basis.pause)) {
    const { cid, event, isNarrow } = one;
    surviving.add(one);
    live.add(cid);
    const isPast = count++ >= retention.commits || spare < 0;
    if (isPast && basis.mayDropEvents && isNarrow && cid !== GENESIS_EVENT) {
      await tries.keep(event.root);
      horizon = cid;
      break;
    }
    if (isPast) continue;
    spare -= sizeOf(cid) + (await tries.keepIfWhole(event.root));
  }
  let added = 0;
  for (const value of surviving.values) {
    live.add(value);
    if (++added % STEPS_BETWEEN_PAUSES === 0) await basis.pause();
  }

  const keepEvent = async (cid: Cid) => {
    const { operations, root } = await readers.event(cid);
    live.add(cid);
    for (const { value } of operations) if (value !== undefined) live.add(value);
    await tries.keepIfWhole(root);
  };
  if (basis.former.length > 0)
    for await (const { cid } of historyOf(basis.former, readers.event, basis.pause)) await keepEvent(cid);
  return { cids: live, horizon, keepEvent };
}

/** Keeps whole tries with their documents. Invariant: everything below a live shard is live. */
function trieKeeper({ readers, sizeOf, pause }: LiveBasis, live: CidSet) {
  let steps = 0;

  /**
   * Walks through the blocks of a trie that are new, and returns their size.
   * @param add returns whether a block is new
   */
  async function walk(root: Cid | undefined, add: (cid: Cid) => boolean): Promise<number> {
    let bytes = 0;
    const isNew = (cid: Cid): boolean => {
      if (!add(cid)) return false;
      bytes += sizeOf(cid);
      return true;
    };
    for await (const shards of walkLevels(readers.shard, root, isNew, { rest: pause }))
      for (const { entries } of shards) {
        for (const { value } of entries) if (value !== undefined) isNew(value);
        steps += 1 + entries.length;
        if (steps < STEPS_BETWEEN_PAUSES) continue;
        steps = 0;
        await pause();
      }
    return bytes;
  }

  return {
    /** Keeps a trie. If this fails, the set of live blocks can't be used. */
    keep: (root: Cid | undefined): Promise<number> => walk(root, (cid) => live.add(cid)),
    /** Keeps a past trie if it is complete. An earlier compaction may have dropped it. */
    keepIfWhole: async (root: Cid): Promise<number> => {
      const found = new Set<Cid>();
      try {
        const isNew = (cid: Cid) => !live.has(cid) && !found.has(cid) && found.add(cid).size > 0;
        const bytes = await walk(root, isNew);
        for (const cid of found) live.add(cid);
        return bytes;
      } catch (cause) {
        if (isFixpointError(cause, 'MISSING_BLOCK')) return 0;
        throw cause;
      }
    },
  };
}
