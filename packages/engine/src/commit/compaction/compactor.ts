/**
 * Compacts concurrently with readers and writers. A plan finds live blocks and writes them to new
 * archives. Then one short step in the writers' queue checks that nothing needs the old archives,
 * lists the new ones and removes the old ones.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { createPace } from '../../base/pace.ts';
import type { Turns } from '../../base/turns.ts';
import { isEvent } from '../../clock/event.ts';
import type { Genesis } from '../../clock/genesis.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { type ChooseRow, rowsOf } from '../../store/choose-row.ts';
import type { FileArchives } from '../../store/file-archives.ts';
import { HEAD_KEY, type HeadRecord } from '../../store/head-record.ts';
import { ARCHIVES, BLOCK_INDEXES, nameIn, STAGED } from '../../store/names.ts';
import { type CurrentHead, reloadHead, writeRecord } from '../current-head.ts';
import { isGone } from '../reads.ts';
import type { Snapshot } from '../snapshot.ts';
import { carryOut, checkAhead, type Plan, type StepParts } from './carry-out.ts';
import { collectFiles } from './collect-files.ts';
import { LIVE_BYTES_WHEN_FULL, planMerge, planSmallSweep, planSweep } from './compaction-plan.ts';
import { type LiveBlocks, liveBlocks, RETENTION, type Retention } from './live-blocks.ts';
import { rewrite } from './rewrite-archives.ts';

/**
 * Number of void plans after which compaction is postponed. A write of another tab can void a plan.
 */
const PLANS_MAX = 5;
const SLICE_MS = 4;

export interface CompactorParts extends StepParts {
  readonly genesis: Genesis;
  readonly retention: Retention;
  readonly time: Pick<Time, 'now' | 'turn'>;
  /** Runs work between two commits. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Reads the stored state again, between two commits. */
  refresh(): Promise<unknown>;
  /** @throws FixpointError DATABASE_CLOSED */
  requireOpen(): void;
}

export interface Compactor {
  /** Merges small archives; keeps every block. */
  merge(): Promise<void>;
  /** Drops blocks that nothing needs. */
  sweep(): Promise<void>;
}

/** The parts of an open database that its compaction uses. */
export interface CompactionParts {
  readonly head: CurrentHead;
  readonly fileArchives: FileArchives;
  readonly retention?: Retention | undefined;
  readonly time: Time;
  /** Snapshots that readers hold. */
  held(): readonly Snapshot[];
  /** Runs work between two commits. */
  readonly exclusive: Turns;
  /** @throws FixpointError DATABASE_CLOSED */
  requireOpen(): void;
}

export interface Compaction extends Compactor {
  /** Removes archives of attached files that no document refers to. */
  collectFiles(): Promise<void>;
}

/**
 * Creates the compaction of an open database. Compaction writes head records like any other writer.
 */
export function createCompaction(parts: CompactionParts): Compaction {
  const { head, fileArchives, retention = RETENTION, time, held, exclusive, requireOpen } = parts;
  const { store, archives, readers, genesis } = head;
  const refreshNow = () => reloadHead(head);
  const compactor = createCompactor({
    store,
    archives,
    readers,
    genesis,
    retention,
    time,
    record: () => head.record,
    snapshot: () => head.snapshot,
    held,
    exclusive: (work) =>
      exclusive(async () => {
        requireOpen();
        return work();
      }),
    refresh: () => exclusive(refreshNow),
    requireOpen,
    refreshNow,
    step: async (changes, next, frees) => {
      if (await writeRecord(head, changes, next, frees)) return true;
      await refreshNow();
      return false;
    },
  });
  return {
    ...compactor,
    collectFiles: () =>
      exclusive(() => {
        const guard = { key: head.key, bytes: head.bytes, frees: 'now' } as const;
        return collectFiles({ store, archives: fileArchives, time }, head.snapshot, readers, guard);
      }),
  };
}

/** The parts of a compaction, and how the compaction lets other work run. */
interface Context extends CompactorParts {
  /**
   * Lets other work run, in the store and in the event loop, if a pause is due. With a pause after
   * every archive, concurrent writers would create archives faster than a sweep reads them.
   */
  pauseIfDue(): Promise<void>;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const { store } = parts;
  const pace = createPace(parts.time, SLICE_MS);
  const pauseIfDue = async () => {
    if (!pace.isDue()) return;
    await store.read(HEAD_KEY);
    await pace.rest();
  };
  const context = { ...parts, pauseIfDue };
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one compaction at a time. */
  const run = (plan: () => Promise<Plan>): Promise<void> => {
    const done = last.then(() => runPlans(context, plan));
    last = done.catch(() => undefined);
    return done;
  };
  const sweepOnce = (liveBytesMax?: number) => run(() => planOfSweep(context, liveBytesMax));

  return {
    // Ignore a full disk here: the next write fails and reports it.
    merge: () => run(() => planOfMerge(context, 'full')).catch(unlessFull),
    sweep: async () => {
      // Merge, but drop nothing. Other processes may be writing without this process noticing, and
      // their next write may need any block.
      if ((await store.isAlone?.()) === false) return run(() => planOfMerge(context, 'all'));
      try {
        await sweepOnce();
      } catch (cause) {
        unlessFull(cause);
        // First, drop the dead bytes of a log that couldn't be rewritten earlier.
        await store.shrink?.();
        await sweepFull(sweepOnce);
        await store.shrink?.();
        // There may be space for a full sweep now. If not, the small sweep dropped all that it
        // could.
        await sweepOnce().catch(unlessFull);
      }
      await store.shrink?.();
    },
  };
}

function unlessFull(cause: unknown): void {
  if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
}

/** Returns the pause of work that ends when the database is closed. */
const whileOpen =
  ({ requireOpen, pauseIfDue }: Context) =>
  async (): Promise<void> => {
    requireOpen();
    await pauseIfDue();
    requireOpen();
  };

/** Makes plans until one is carried out or there is nothing to do. */
async function runPlans(context: Context, plan: () => Promise<Plan>): Promise<void> {
  for (let tries = 0; tries < PLANS_MAX; tries++) {
    const before = context.record();
    try {
      const made = await plan();
      if (made.live === undefined && made.groups.length === 0) return;
      const seen = await checkAhead(context, made);
      if (seen !== undefined && (await context.exclusive(() => carryOut(context, made, seen)))) return;
    } catch (cause) {
      if (!isGone(cause)) throw cause;
      // A compaction of another tab may have dropped the block. If the head record didn't change,
      // no compaction ran, and the missing block is damage.
      await context.refresh();
      const { epoch, head } = context.record();
      if (epoch === before.epoch && head.join() === before.head.join()) throw cause;
    }
  }
}

/**
 * Sweeps with smaller and smaller plans until one can be written.
 * @throws FixpointError STORE_FULL when not even the smallest plan can be written
 */
async function sweepFull(sweep: (liveBytesMax: number) => Promise<void>): Promise<void> {
  for (const [at, bytes] of LIVE_BYTES_WHEN_FULL.entries())
    try {
      await sweep(bytes);
      return;
    } catch (cause) {
      if (!isFixpointError(cause, 'STORE_FULL') || at === LIVE_BYTES_WHEN_FULL.length - 1) throw cause;
    }
}

const namesIn = async (store: ByteStore, prefix: string) =>
  new Set((await store.keys(prefix)).map((key) => nameIn(prefix, key) as Cid));

/**
 * Returns the archives that may be rewritten. Omits staged archives, which must wait for their
 * head.
 */
async function candidates({ store, archives }: Context) {
  const [pending, staged] = [await archives.pending(), await namesIn(store, STAGED)];
  return [...archives.list]
    .filter(([cid]) => !staged.has(cid))
    .map(([cid, { bytes }]) => ({ cid, bytes, pending: pending.has(cid) }));
}

/**
 * Plans a merge of the size tiers with too many archives (`full`), or of all small archives
 * (`all`).
 */
async function planOfMerge(context: Context, what: 'full' | 'all'): Promise<Plan> {
  const { store, archives } = context;
  const { epoch, head } = context.record();
  const groups = planMerge(
    await candidates(context),
    ({ bytes }) => what === 'all' || archives.tiers.isFull(bytes),
  );
  const rewritten = await rewrite(archives, store, groups, head, undefined, whileOpen(context));
  return { epoch, groups, rewritten, live: undefined, orphans: [], frees: what === 'all' };
}

/**
 * Plans a sweep.
 * @param liveBytesMax maximum bytes to write on a full disk; undefined for a full sweep
 */
async function planOfSweep(context: Context, liveBytesMax?: number): Promise<Plan> {
  const { store, archives } = context;
  const record = context.record();
  const { epoch, head } = record;
  // Read these lists before looking for live blocks. Otherwise, the blocks of archives that commits
  // add in between would count as dead.
  const held = context.held();
  const all = await candidates(context);
  const stored = await namesIn(store, ARCHIVES);
  const listed = await namesIn(store, BLOCK_INDEXES);
  const live = await liveNow(context, record, held);
  if (record.synced) await keepUnmerged(context, all, live);
  const isLive = rowsOf(live.cids);
  const worn = [];
  for (const one of all) {
    const liveBytes = archives.bytesOf(one.cid, isLive);
    worn.push({ ...one, deadBytes: archives.bytesOf(one.cid) - liveBytes, liveBytes });
    await context.pauseIfDue();
  }
  const groups = liveBytesMax === undefined ? planSweep(worn) : planSmallSweep(worn, liveBytesMax);
  const rewritten = await rewrite(archives, store, groups, head, live.cids, whileOpen(context));
  const isMade = new Set(rewritten.made.map(({ cid }) => cid));
  const orphans = [...stored].filter((cid) => !listed.has(cid) && !isMade.has(cid));
  return { epoch, groups, rewritten, live, orphans, frees: true };
}

function liveNow(
  context: Context,
  { head, former, synced }: HeadRecord,
  held: readonly Snapshot[],
): Promise<LiveBlocks> {
  const { archives, readers, genesis, retention } = context;
  return liveBlocks({
    snapshot: context.snapshot(),
    former,
    held,
    readers,
    genesis,
    retention,
    // A reader that holds an older head may still need older events.
    mayDropEvents: !synced && held.every((snapshot) => snapshot.head.join() === head.join()),
    sizeOf: (cid) => archives.placeOf(cid)?.length ?? 0,
    pause: context.pauseIfDue,
  });
}

/**
 * Keeps events that aren't part of the history, such as events that a remote sent before their
 * head. A later head of the remote needs them, and they aren't sent again.
 */
async function keepUnmerged(
  context: Context,
  all: readonly { readonly cid: Cid }[],
  live: LiveBlocks,
): Promise<void> {
  const isLive = rowsOf(live.cids);
  const isDead: ChooseRow = (...row) => !isLive(...row);
  for (const { cid: archive } of all) {
    await context.pauseIfDue();
    for (const { cid, bytes } of await context.archives.blocksOf(archive, isDead))
      if (!live.cids.has(cid) && isEvent(bytes)) await live.keepEvent(cid);
  }
}
