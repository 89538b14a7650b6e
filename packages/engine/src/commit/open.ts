/** The commit layer: every head change goes through here, in one durable step, and one feed. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { type Archive, packArchive } from '../archive/pack.ts';
import { equalRows } from '../base/bytes.ts';
import { createPace, type Pace } from '../base/pace.ts';
import { mergeHeads } from '../clock/advance.ts';
import { decodeRoot, encodeEvent, sortHead } from '../clock/event.ts';
import { genesisOf } from '../clock/genesis.ts';
import type { Cid } from '../codec/cid.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../documents/genesis.ts';
import type { Guard, StoreChange } from '../ports/byte-store.ts';
import { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import {
  decodeHeadRecord,
  encodeHeadRecord,
  HEAD_KEY,
  type HeadRecord,
  headKeyOf,
  joinRecords,
  NEW_RECORD,
} from '../store/head-record.ts';
import { REMOTES } from '../store/names.ts';
import { putMany } from '../trie/put-many.ts';
import { createAttempts } from './attempts.ts';
import type { CommitParts, Commits, RemoteMerge } from './commits.ts';
import { isCompactingOverdue, isWorthCompacting } from './compact.ts';
import { createFeed, type HeadChange } from './feed.ts';
import { createFiles } from './files.ts';
import { isGone, requireNew } from './gone.ts';
import { createHolds } from './holds.ts';
import { watchForIdleness } from './idle.ts';
import { lazyCompactor } from './lazy-compactor.ts';
import type { Retention } from './live-blocks.ts';
import { liveFileArchives } from './live-files.ts';
import { createLocalRows } from './local-rows.ts';
import { readNews } from './read-news.ts';
import { createReaders, createUnstoredBlocks, readersOf, type Snapshot } from './snapshot.ts';
import { snapshotOf } from './snapshot-of.ts';
import { stagingRows } from './staging-rows.ts';
import { createSteadyReads } from './steady-reads.ts';
import { areDeletions, createWriteQueue, type Operation } from './write-queue.ts';
import { writtenSince } from './written-since.ts';

const VERIFY_SLICE_MS = 10;
const COMMIT_SLICE_MS = 4;
const OPERATIONS_PER_COMMIT_MAX = 5000;
/** docs/decisions/0020 */
export const RETENTION: Retention = { commits: 1000, bytes: 400_000 };

export type { CommitParts, Commits, RemoteMerge } from './commits.ts';

/** Opens the commit layer. @throws FixpointError CORRUPT, MISSING_BLOCK, KEY_UNKNOWN */
export async function openCommits(parts: CommitParts): Promise<Commits> {
  const { store, keys, channel, time, report, retention = RETENTION } = parts;
  const archives = new Archives(store, keys, parts.archivesKept);
  const files = createFiles(store, new FileArchives(store, keys), time);
  const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
  const unstored = createUnstoredBlocks(genesis.blocks);
  const horizon = () => record.horizon;
  const readers = createReaders(archives.readBlock, unstored, files.read, horizon, archives.readBlocks);
  const holds = createHolds();
  const feed = createFeed(report);
  const headKey = headKeyOf(store.writer);
  /** The head record of this writer. */
  let record: HeadRecord = NEW_RECORD;
  let headBytes: Uint8Array | undefined;
  /** Records of other writers that `current` contains. This writer's next record replaces them. */
  let otherHeads: readonly StoreChange[] = [];
  /** `store.news()` from before the head records were read. */
  let news: number | undefined;
  let current: Snapshot = { head: sortHead([]), root: undefined, merged: [] };
  /** Until open, nobody listens, and everything stored would count as news. */
  let isOpen = false;
  let closed = false;
  const isClosed = () => new FixpointError('DATABASE_CLOSED');

  function show(next: Snapshot, stored: HeadRecord, bytes: Uint8Array | undefined): void {
    current = next;
    record = stored;
    headBytes = bytes;
    unstored.show(next);
  }

  /** Reads the head records again. Returns whether another writer changed them. */
  async function reload(): Promise<boolean> {
    for (;;) {
      await store.refresh?.();
      const [come, records] = [store.news?.(), await store.readPrefix(HEAD_KEY)];
      try {
        return await take(records, come);
      } catch (cause) {
        // Another writer may have moved the head during the read and dropped blocks it needed.
        await store.refresh?.();
        if (!isGone(cause) || equalRows(records, await store.readPrefix(HEAD_KEY))) throw cause;
      }
    }
  }

  /** @param come `store.news()` from before the records were read */
  async function take(records: ReadonlyMap<string, Uint8Array>, come: number | undefined): Promise<boolean> {
    const bytes = records.get(headKey);
    const decoded = [...records.values()].map(decodeHeadRecord);
    await Promise.all([archives.refresh(), files.refresh()]);
    if (records.size === 0) await requireNew(store, archives);
    const { horizon: oldest } = joinRecords(decoded, sortHead([]));
    // Readers need the horizon before they walk back to it.
    record = { ...record, horizon: oldest };
    let head = sortHead([]);
    for (const one of decoded) head = await mergeHeads(head, one.head, readers.event);
    const stored = joinRecords(decoded, head);
    const moved = head.join() !== current.head.join();
    const isNews = moved || stored.epoch !== record.epoch;
    const before = current;
    // After a compaction, a merge may need dropped tries.
    const known = head.length > 1 && stored.bytes > 0 ? { root: undefined } : undefined;
    // Everything stored was read and checked before it was stored.
    const rootOf = async (event: Cid) => decodeRoot(await readers.block(event));
    show(moved ? await snapshotOf(head, { ...readers, rootOf }, known) : current, stored, bytes);
    // Only after merging them: the next commit removes them.
    otherHeads = [...records.keys()].flatMap((key) => (key === headKey ? [] : [{ key, bytes: undefined }]));
    news = come;
    if (moved && isOpen) await tell(before, 'elsewhere');
    return isNews;
  }

  async function tell(
    before: Snapshot,
    origin: HeadChange['origin'],
    ids?: readonly string[],
  ): Promise<void> {
    const after = current.head;
    const written = ids ?? (await writtenSince(readers, before, current));
    feed.emit({ before: before.head, after, ids: written.filter((id) => id !== GENESIS_KEY), origin });
  }

  /** Never remove another writer's newer record before merging it. */
  const headGuard = (frees: Guard['frees']): Guard => ({
    key: headKey,
    bytes: headBytes,
    frees,
    news: otherHeads.length > 0 ? news : undefined,
  });

  /** Moves the head in one durable step. Returns false when another writer was first. */
  async function advance(
    next: Snapshot,
    changes: readonly StoreChange[],
    fresh: readonly Archive[],
    keep: boolean,
    also: Partial<HeadRecord> = {},
    frees?: Guard['frees'],
  ): Promise<boolean> {
    const stored = { ...record, ...also, head: next.head };
    const bytes = encodeHeadRecord(stored);
    const rows = [...changes, ...otherHeads, { key: headKey, bytes }];
    if (!(await store.write(rows, headGuard(frees)))) return false;
    otherHeads = [];
    archives.added(fresh, keep);
    show(next, stored, bytes);
    channel.post();
    return true;
  }

  const { attempts, crowded } = createAttempts({
    store,
    channel,
    time,
    reload,
    requireOpen: () => {
      if (closed) throw isClosed();
    },
  });

  const commit = (operations: readonly Operation[]) =>
    attempts(async () => {
      const before = current;
      const isFirst = before.head.length === 0;
      const archivesMade: Archive[] = [];
      if (isFirst) {
        archivesMade.push(await packArchive({ cars: [], compact: [], head: genesis.head }, genesis.blocks));
      }
      const base = isFirst ? { head: genesis.head, root: genesis.root, merged: [] } : before;
      const puts = operations.map(({ key, value }) => [key as string, value.cid] as const);
      const trie = await putMany(readers.shard, base.root, puts);
      const attached = operations.flatMap((operation) => operation.files ?? []);
      const fileChanges = await files.changesFor(attached);
      if (trie.root === base.root && operations.length === 1 && !isFirst) {
        // The document is unchanged, but its files may have been missing.
        if (fileChanges.length > 0) await store.write(fileChanges);
        files.written(attached);
        return true;
      }
      const event = encodeEvent({
        operations: operations.map(({ key, value }) => ({ key, value: value.cid })),
        root: trie.root,
        parents: base.head,
      });
      const head = sortHead([event.cid]);
      const blocks = [...operations.map(({ value }) => value), ...base.merged, ...trie.added, event];
      archivesMade.push(await packArchive({ cars: [], compact: [], head }, blocks));
      const changes = [...(await archives.changesFor(archivesMade, true)), ...fileChanges];
      const next = { head, root: trie.root, merged: [] };
      const frees = areDeletions(operations) ? 'later' : undefined;
      if (!(await advance(next, changes, archivesMade, true, {}, frees))) return false;
      files.written(attached);
      await tell(before, 'local', [...new Set(operations.map(({ key }) => key as string))]);
      return true;
    });

  const pace = createPace(time, COMMIT_SLICE_MS);
  // Reads of a sweep queue: commits yield to them, or the sweep starves and blocks merges.
  const paceOfWriters: Pace = {
    isDue: () => compactor.isSweeping() || pace.isDue(),
    rest: pace.rest,
  };
  const queue = createWriteQueue(
    async (operations) => {
      await commit(operations);
      if (archives.tiers.isFull() && !compactor.isMerging()) void compactor.merge().catch(reportUnlessClosed);
      idle.stirred();
    },
    OPERATIONS_PER_COMMIT_MAX,
    paceOfWriters,
    compact,
  );

  const mergeRemote = (merge: RemoteMerge) =>
    attempts(async () => {
      const before = current;
      const fresh = merge.archives.filter(({ cid }) => !archives.has(cid));
      const staged = new Map(
        fresh.flatMap(({ bytes, blocks }) =>
          blocks.map(({ cid, offset, length }) => [cid, bytes.subarray(offset, offset + length)] as const),
        ),
      );
      const staging = createReaders(
        async (cid) => staged.get(cid) ?? readers.block(cid),
        new Map(),
        files.read,
        horizon,
      );
      const head = await mergeHeads(before.head, merge.head, staging.event);
      const next = await snapshotOf(head, staging, { root: before.root });
      const nextReaders = readersOf(next, staging);
      const written = await readNews(nextReaders, before, next, pace);
      const changes = [
        ...(await archives.changesFor(fresh)),
        ...(await stagingRows(store, merge, fresh)),
        ...merge.remember,
      ];
      if (!(await advance(next, changes, fresh, false))) return false;
      idle.stirred();
      if (head.join() !== before.head.join()) await tell(before, 'remote', written);
      return true;
    });

  const compactor = lazyCompactor({
    store,
    archives,
    readers,
    genesis,
    retention,
    time,
    record: () => record,
    snapshot: () => current,
    held: holds.list,
    exclusive: (work) => queue.exclusive(async () => (closed ? Promise.reject(isClosed()) : work())),
    refresh: () => queue.exclusive(reload),
    refreshNow: reload,
    step: async (changes, next, frees) => {
      const bytes = encodeHeadRecord(next);
      if (await store.write([...changes, ...otherHeads, { key: headKey, bytes }], headGuard(frees))) {
        otherHeads = [];
        record = next;
        headBytes = bytes;
        return true;
      }
      await reload();
      return false;
    },
  });

  async function compact(): Promise<void> {
    if (current.head.length === 0) return;
    await compactor.sweep();
    await queue.exclusive(() =>
      files.collect(current, readers, { key: headKey, bytes: headBytes, frees: 'now' }),
    );
  }

  const reportUnlessClosed = (cause: unknown) => {
    if (!closed) report(cause);
  };

  // When much may be dead, compacts once nobody writes; when overdue, beside the writers.
  const idle = watchForIdleness(time, {
    isWorthwhile: () => isWorthCompacting(archives.bytes, record.bytes),
    isOverdue: () => isCompactingOverdue(archives.bytes, record.bytes),
    do: () => compact().catch(reportUnlessClosed),
  });

  const prepareForSync = () =>
    attempts(async () => {
      if (record.synced) return true;
      const also = { synced: true, epoch: record.epoch + 1 };
      if (record.horizon === undefined) return advance(current, [], [], false, also);
      // Another process might continue from the history that is abandoned here.
      if ((await store.isAlone?.()) === false) throw new FixpointError('STORE_LOCKED');
      const before = current;
      const { joinedHistory } = await import('./upkeep.ts');
      const joined = await joinedHistory(before, readers, genesis);
      const changes = await archives.changesFor([joined.archive], true);
      const former = sortHead([...record.former, ...before.head]);
      if (!(await advance(joined.snapshot, changes, [joined.archive], true, { ...also, former })))
        return false;
      await tell(before, 'local', []);
      return true;
    });

  let hinted = false;
  /** Collapses hints that arrive while one waits. */
  const hint = (look: () => Promise<boolean>) => {
    if (closed || hinted) return;
    hinted = true;
    const looked = queue.exclusive(async () => {
      hinted = false;
      if (!closed && (await look())) await reload();
    });
    void looked.catch((cause) => {
      // The database's handles learn separately that it closed.
      if (!isFixpointError(cause, 'DATABASE_CLOSED')) report(cause);
    });
  };
  const stopHints = [
    channel.onHint(() => {
      crowded();
      hint(async () => true);
    }),
    store.watch?.(() =>
      hint(async () => {
        await store.refresh?.();
        return store.news === undefined || store.news() !== news;
      }),
    ),
  ];

  const hold = () => holds.take(current);

  const [remotes] = await Promise.all([store.keys(REMOTES), reload()]);
  isOpen = true;
  // Attached by a version that didn't record it.
  if (remotes.length > 0) record = { ...record, synced: true };
  return {
    readers,
    keys: parts.ledgerKeys,
    files,
    local: createLocalRows(store),
    fileArchivesNamed: (ids) => liveFileArchives(current, readers, ids),
    snapshot: () => current,
    hold,
    ...createSteadyReads({ hold, snapshot: () => current, refresh: () => queue.exclusive(reload) }),
    hasDropped: () => record.horizon !== undefined || record.bytes > 0,
    horizon,
    hasDroppedEvents: () => record.horizon !== undefined || record.former.length > 0,
    prepareForSync: () => queue.exclusive(prepareForSync),
    write: queue.write,
    mergeRemote: (merge) => queue.exclusive(() => mergeRemote(merge)),
    subscribe: feed.subscribe,
    hasArchive: (cid) => archives.has(cid),
    archiveOf: (block) => archives.placeOf(block)?.archive,
    archiveIds: () => [...archives.list.keys()],
    blocksOf: (cid) => archives.blocksOf(cid),
    pendingUploads: async () => [...(await archives.pending())],
    plainArchive: (cid) => archives.readArchive(cid),
    remembered: (prefix) => store.readPrefix(prefix),
    markUploaded: (uploaded, remember) =>
      queue.exclusive(async () => {
        await store.write([...archives.sent(uploaded), ...remember]);
      }),
    verify: async (options) => {
      const { verifyStored } = await import('./upkeep.ts');
      const pace = createPace(time, VERIFY_SLICE_MS);
      return verifyStored({ store, archives, files, readers, snapshot: current, pace }, options);
    },
    compact,
    close: () =>
      queue.exclusive(async () => {
        closed = true;
        for (const stop of stopHints) stop?.();
        idle.stop();
        channel.close();
        await store.close();
      }),
  };
}
