/**
 * Compacts concurrently with readers and writers. A plan finds live blocks and writes them to new
 * archives. Then one short step in the writers' queue checks that nothing needs the old archives,
 * lists the new ones and removes the old ones.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { plainBytesOf } from '../archive/block-index.ts';
import { createPace } from '../base/pace.ts';
import { isEvent } from '../clock/event.ts';
import type { Genesis } from '../clock/genesis.ts';
import type { Cid } from '../codec/cid.ts';
import type { ByteStore, Guard, StoreChange } from '../ports/byte-store.ts';
import type { Time } from '../ports/time.ts';
import type { Archives } from '../store/archives.ts';
import { BlockSet, type ChooseRow } from '../store/block-set.ts';
import { HEAD_KEY, type HeadRecord } from '../store/head-record.ts';
import {
  ARCHIVES,
  archiveKey,
  BLOCK_INDEXES,
  blockIndexKey,
  commitKey,
  nameIn,
  SENT,
  STAGED,
  sentKey,
  UPLOADS,
  uploadKey,
} from '../store/names.ts';
import { LIVE_BYTES_WHEN_FULL, planMerge, planSmallSweep, planSweep } from './compact.ts';
import { isGone } from './gone.ts';
import { type LiveBlocks, liveBlocks, type Retention } from './live-blocks.ts';
import { type RewriteGroup, type Rewritten, rewrite } from './rewrite.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import { isStillWhole } from './still-whole.ts';

/** Plans that another tab's write or a merge may invalidate before compaction is postponed. */
const PLANS_MAX = 5;
const SLICE_MS = 4;
const NOTHING = new Uint8Array();

export interface CompactorParts {
  readonly store: ByteStore;
  readonly archives: Archives;
  readonly readers: Readers;
  readonly genesis: Genesis;
  readonly retention: Retention;
  readonly time: Pick<Time, 'now' | 'turn'>;
  record(): HeadRecord;
  snapshot(): Snapshot;
  /** Snapshots that readers hold. */
  held(): readonly Snapshot[];
  /** Runs work between two commits. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Reads the stored state again, between two commits. */
  refresh(): Promise<unknown>;
  /** Reads the stored state again; for callers that already run between two commits. */
  refreshNow(): Promise<unknown>;
  /**
   * Writes one durable step with a new head record. Returns false when another writer was first.
   */
  step(changes: readonly StoreChange[], next: HeadRecord, frees: Guard['frees']): Promise<boolean>;
}

export interface Compactor {
  /** Merges small archives; keeps every block. */
  merge(): Promise<void>;
  /** Drops blocks that nothing needs. */
  sweep(): Promise<void>;
}

interface Plan {
  readonly epoch: number;
  readonly groups: readonly RewriteGroup[];
  readonly rewritten: Rewritten;
  /** Live blocks; undefined when every block stays. */
  readonly live: LiveBlocks | undefined;
  /** Archives that nothing lists, left behind by an interrupted compaction. */
  readonly orphans: readonly Cid[];
  /**
   * Whether to use the reserve for a full disk. Merges between writes may not, as they free little.
   */
  readonly frees: boolean;
}

function unlessFull(cause: unknown): void {
  if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const { store, archives, readers } = parts;
  let last: Promise<unknown> = Promise.resolve();

  const pace = createPace(parts.time, SLICE_MS);
  /** Yields to others, in the store and in the event loop. */
  const pause = async () => {
    await store.read(HEAD_KEY);
    await pace.rest();
  };
  /**
   * Pausing after every archive would be too slow: concurrent writers create archives faster than
   * that.
   */
  const pauseIfDue = async () => {
    if (pace.isDue()) await pause();
  };

  const namesIn = async (prefix: string) =>
    new Set((await store.keys(prefix)).map((key) => nameIn(prefix, key) as Cid));

  /** Archives that may be rewritten. Those of an unfinished download wait for their head. */
  async function candidates() {
    const [pending, staged] = [await archives.pending(), await namesIn(STAGED)];
    return [...archives.list]
      .filter(([cid]) => !staged.has(cid))
      .map(([cid, { bytes }]) => ({ cid, bytes, pending: pending.has(cid) }));
  }

  /**
   * Plans a merge of the size tiers with too many archives (`full`), or of all small archives
   * (`all`).
   */
  async function planOfMerge(what: 'full' | 'all'): Promise<Plan> {
    const { epoch, head } = parts.record();
    const groups = planMerge(
      await candidates(),
      ({ bytes }) => what === 'all' || archives.tiers.isFull(bytes),
    );
    const rewritten = await rewrite(archives, store, groups, head);
    return { epoch, groups, rewritten, live: undefined, orphans: [], frees: what === 'all' };
  }

  /** Plans a sweep. @param liveBytesMax on a full disk: maximum bytes to write */
  async function planOfSweep(liveBytesMax?: number): Promise<Plan> {
    const { epoch, head, former, synced } = parts.record();
    const held = parts.held();
    const all = await candidates();
    const stored = await namesIn(ARCHIVES);
    const listed = await namesIn(BLOCK_INDEXES);
    const live = await liveBlocks({
      snapshot: parts.snapshot(),
      former,
      held,
      readers,
      genesis: parts.genesis,
      retention: parts.retention,
      // A reader of an older head may still walk back from it.
      mayDropEvents: !synced && held.every((snapshot) => snapshot.head.join() === head.join()),
      sizeOf: (cid) => archives.placeOf(cid)?.length ?? 0,
      pause,
    });
    if (synced) await keepUnmerged(all, live);
    const { mayHave } = new BlockSet(live.cids);
    const worn = [];
    for (const one of all) {
      const deadBytes = archives.bytesOf(one.cid, (...row) => !mayHave(...row));
      worn.push({ ...one, deadBytes, liveBytes: archives.bytesOf(one.cid, mayHave) });
      await pauseIfDue();
    }
    const groups = liveBytesMax === undefined ? planSweep(worn) : planSmallSweep(worn, liveBytesMax);
    const rewritten = await rewrite(archives, store, groups, head, mayHave);
    const isMade = new Set(rewritten.made.map(({ cid }) => cid));
    const orphans = [...stored].filter((cid) => !listed.has(cid) && !isMade.has(cid));
    return { epoch, groups, rewritten, live, orphans, frees: true };
  }

  /**
   * Keeps events that a remote's archive holds and that are newer than its head: a later head will
   * need them, and they aren't sent again.
   */
  async function keepUnmerged(all: readonly { readonly cid: Cid }[], live: LiveBlocks): Promise<void> {
    const { mayHave } = new BlockSet(live.cids);
    const isDead: ChooseRow = (...row) => !mayHave(...row);
    for (const { cid: archive } of all) {
      await pauseIfDue();
      for (const { cid, bytes } of await archives.blocksOf(archive, isDead))
        if (!live.cids.has(cid) && isEvent(bytes)) await live.keepEvent(cid);
    }
  }

  /** Carries out a plan in one step. Returns false when the plan is void. */
  async function carryOut({ epoch, groups, rewritten, live, orphans, frees }: Plan): Promise<boolean> {
    const { made, rest } = rewritten;
    const isMade = new Set(made.map(({ cid }) => cid));
    // Rewriting is deterministic: an archive that a remote sent back is rewritten to the same
    // bytes.
    const removed = new Set(groups.flatMap(({ sources }) => sources).filter((cid) => !isMade.has(cid)));
    if (live !== undefined && (await store.isAlone?.()) === false) return false;
    if (await store.refresh?.()) await parts.refreshNow();
    const record = parts.record();
    // The new archives stay, as another tab may have created the same ones. A later sweep removes
    // those that nothing lists.
    if (record.epoch !== epoch) return false;
    if (live !== undefined) {
      const snapshots = [parts.snapshot(), ...parts.held()];
      if (!(await isStillWhole({ archives, readers, live: live.cids, removed, snapshots }))) return false;
    }
    const orphansNow: Cid[] = [];
    for (const cid of orphans) if ((await store.read(blockIndexKey(cid))) === undefined) orphansNow.push(cid);
    const pending = await archives.pending();
    const isPending = (sources: readonly Cid[]) => sources.some((cid) => pending.has(cid));
    const changes: StoreChange[] = [
      ...rest,
      ...made.map(({ cid, index }) => ({ key: blockIndexKey(cid), bytes: index })),
      ...made
        .filter((one) => one.pending && isPending(one.sources))
        .map(({ cid }) => ({ key: uploadKey(cid), bytes: NOTHING })),
      ...[...(await keysOf(removed)), ...orphansNow.map(archiveKey)].map((key) => ({
        key,
        bytes: undefined,
      })),
    ];
    const next = { ...record, epoch: record.epoch + 1 };
    const stored = live === undefined ? next : afterSweep(next, live, removed, made);
    const done = await parts.step(changes, stored, frees ? 'now' : undefined);
    if (!done) return false;
    for (const { cid, index } of made) archives.learn(cid, index);
    archives.removed([...removed]);
    return true;
  }

  /** Returns the rows of removed archives, and their rows about uploads. */
  async function keysOf(removed: ReadonlySet<Cid>): Promise<string[]> {
    const noted = new Set([...(await store.keys(UPLOADS)), ...(await store.keys(SENT))]);
    return [...removed].flatMap((cid) => {
      const isCommit = archives.list.get(cid)?.isCommit === true;
      const stored = isCommit ? [commitKey(cid)] : [archiveKey(cid), blockIndexKey(cid)];
      const note = isCommit ? sentKey(cid) : uploadKey(cid);
      return noted.has(note) ? [...stored, note] : stored;
    });
  }

  function afterSweep(
    record: HeadRecord,
    { horizon }: LiveBlocks,
    removed: ReadonlySet<Cid>,
    made: Rewritten['made'],
  ): HeadRecord {
    let bytes = 0;
    for (const [cid, info] of archives.list) if (!removed.has(cid)) bytes += info.bytes;
    for (const { cid, index } of made) if (!archives.has(cid)) bytes += plainBytesOf(index);
    return { ...record, bytes, horizon: horizon ?? record.horizon };
  }

  /** Runs one compaction at a time. */
  function run(plan: () => Promise<Plan>): Promise<void> {
    const done = last.then(async () => {
      for (let tries = 0; tries < PLANS_MAX; tries++) {
        const before = parts.record();
        try {
          const made = await plan();
          if (made.live === undefined && made.groups.length === 0) return;
          if (await parts.exclusive(() => carryOut(made))) return;
        } catch (cause) {
          if (!isGone(cause)) throw cause;
          // Another tab may have compacted. If it didn't, the missing block is damage.
          await parts.refresh();
          const { epoch, head } = parts.record();
          if (epoch === before.epoch && head.join() === before.head.join()) throw cause;
        }
      }
    });
    last = done.catch(() => undefined);
    return done;
  }

  /**
   * Sweeps with ever smaller plans.
   * @throws FixpointError STORE_FULL when not even the smallest plan can be written
   */
  async function sweepFull(): Promise<void> {
    for (const [at, bytes] of LIVE_BYTES_WHEN_FULL.entries())
      try {
        await run(() => planOfSweep(bytes));
        return;
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL') || at === LIVE_BYTES_WHEN_FULL.length - 1) throw cause;
      }
  }

  return {
    // On a full disk, the writes themselves fail and report it.
    merge: () => run(() => planOfMerge('full')).catch(unlessFull),
    sweep: async () => {
      // The guard may not detect other processes, whose next write may need any block.
      if ((await store.isAlone?.()) === false) return run(() => planOfMerge('all'));
      try {
        await run(() => planOfSweep());
      } catch (cause) {
        unlessFull(cause);
        // First, drop dead bytes of a log that couldn't be rewritten before.
        await store.shrink?.();
        await sweepFull();
        await store.shrink?.();
        // There may be room for a full sweep now. If not, the small sweep dropped all it could.
        await run(() => planOfSweep()).catch(unlessFull);
      }
      await store.shrink?.();
    },
  };
}
