/**
 * Compaction beside readers and writers: what lives is found and written to new archives while others go on; then one short step, in the queue of
 * the writers, checks that nothing needs what is to go, lists the new archives and removes the old ones.
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

/** Plans that a write of another tab or a merge made void, before compaction is left for later. */
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
  /** Runs between two commits. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Reads again what is stored, between two commits. */
  refresh(): Promise<unknown>;
  /** The same for a step that runs between two commits already. */
  refreshNow(): Promise<unknown>;
  /** One durable step with a new head record; gives false when another writer came first. */
  step(changes: readonly StoreChange[], next: HeadRecord, frees: Guard['frees']): Promise<boolean>;
}

export interface Compactor {
  /** Merges small archives; keeps every block. */
  merge(): Promise<void>;
  /** Drops what nothing needs any more. */
  sweep(): Promise<void>;
}

interface Plan {
  readonly epoch: number;
  readonly groups: readonly RewriteGroup[];
  readonly rewritten: Rewritten;
  /** What was found to live; undefined when every block stays. */
  readonly live: LiveBlocks | undefined;
  /** Archives that nothing lists: what a compaction that was cut short left behind. */
  readonly orphans: readonly Cid[];
  /** Uses what is kept for a full disk. Merges between writes may not: they free little. */
  readonly frees: boolean;
}

function unlessFull(cause: unknown): void {
  if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const { store, archives, readers } = parts;
  let last: Promise<unknown> = Promise.resolve();

  const pace = createPace(parts.time, SLICE_MS);
  /** Lets others do something: in the store, and in the event loop. */
  const pause = async () => {
    await store.read(HEAD_KEY);
    await pace.rest();
  };
  /** After each archive that would be a turn each, and writers beside it make archives faster than that. */
  const pauseIfDue = async () => {
    if (pace.isDue()) await pause();
  };

  const namesIn = async (prefix: string) =>
    new Set((await store.keys(prefix)).map((key) => nameIn(prefix, key) as Cid));

  /** Archives that may be written anew. Those of an unfinished download wait for their head. */
  async function candidates() {
    const [pending, staged] = [await archives.pending(), await namesIn(STAGED)];
    return [...archives.list]
      .filter(([cid]) => !staged.has(cid))
      .map(([cid, { bytes }]) => ({ cid, bytes, pending: pending.has(cid) }));
  }

  /** Of the sizes of which there are too many, or of all that is small. */
  async function planOfMerge(what: 'full' | 'all'): Promise<Plan> {
    const { epoch, head } = parts.record();
    const groups = planMerge(
      await candidates(),
      ({ bytes }) => what === 'all' || archives.tiers.isFull(bytes),
    );
    const rewritten = await rewrite(archives, store, groups, head);
    return { epoch, groups, rewritten, live: undefined, orphans: [], frees: what === 'all' };
  }

  /** @param liveBytesMax on a full disk: how much may be written */
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

  /** An archive of a remote may hold events that are newer than the head it came with: a later head will need them, and it is not sent again. */
  async function keepUnmerged(all: readonly { readonly cid: Cid }[], live: LiveBlocks): Promise<void> {
    const { mayHave } = new BlockSet(live.cids);
    const isDead: ChooseRow = (...row) => !mayHave(...row);
    for (const { cid: archive } of all) {
      await pauseIfDue();
      for (const { cid, bytes } of await archives.blocksOf(archive, isDead))
        if (!live.cids.has(cid) && isEvent(bytes)) await live.keepEvent(cid);
    }
  }

  /** The step that makes a plan true. Gives false when it is void. */
  async function carryOut({ epoch, groups, rewritten, live, orphans, frees }: Plan): Promise<boolean> {
    const { made, rest } = rewritten;
    const isMade = new Set(made.map(({ cid }) => cid));
    // What came back from a remote after it was written anew is written anew to the same bytes.
    const removed = new Set(groups.flatMap(({ sources }) => sources).filter((cid) => !isMade.has(cid)));
    if (live !== undefined && (await store.isAlone?.()) === false) return false;
    if (await store.refresh?.()) await parts.refreshNow();
    const record = parts.record();
    // What was made stays behind then: it may be what another tab made too. A later sweep finds what nothing lists.
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

  /** Under which archives are stored, and what is noted of their upload. */
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

  /** One compaction at a time. */
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
          // Another tab may have compacted meanwhile; if not, what is missing is damage.
          await parts.refresh();
          const { epoch, head } = parts.record();
          if (epoch === before.epoch && head.join() === before.head.join()) throw cause;
        }
      }
    });
    last = done.catch(() => undefined);
    return done;
  }

  /** @throws FixpointError STORE_FULL when not even the smallest plan can be written */
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
    // On a full disk, the writes themselves are refused and say so.
    merge: () => run(() => planOfMerge('full')).catch(unlessFull),
    sweep: async () => {
      // A guard may say nothing about other processes: what they are about to write may need anything.
      if ((await store.isAlone?.()) === false) return run(() => planOfMerge('all'));
      try {
        await run(() => planOfSweep());
      } catch (cause) {
        unlessFull(cause);
        // Dead bytes of a log that couldn't be rewritten before may go first.
        await store.shrink?.();
        await sweepFull();
        await store.shrink?.();
        // There may be room for the rest now. If there isn't, what could be dropped is.
        await run(() => planOfSweep()).catch(unlessFull);
      }
      await store.shrink?.();
    },
  };
}
