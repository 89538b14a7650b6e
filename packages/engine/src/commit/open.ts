/** The one door: whatever moves the head goes through here, becomes durable in one step, and is told by one feed. */
import { FixpointError } from '@fixpoint/protocol';
import { type Archive, packArchive } from '../archive/pack.ts';
import { mergeHeads } from '../clock/advance.ts';
import { changesSince } from '../clock/changes-since.ts';
import { encodeEvent, type Head, sortHead } from '../clock/event.ts';
import { genesisOf } from '../clock/genesis.ts';
import type { Block } from '../codec/block.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../documents/genesis.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Time } from '../ports/time.ts';
import { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { decodeHeadRecord, encodeHeadRecord, HEAD_KEY, headKeyOf } from '../store/head-record.ts';
import { archiveKey, blockIndexKey, nameIn, UPLOADS, uploadKey } from '../store/names.ts';
import { putMany } from '../trie/put-many.ts';
import { isWorthMerging, planMerge } from './compact.ts';
import { createFeed, type HeadChange } from './feed.ts';
import { createFiles, type Files, liveFileArchives } from './files.ts';
import { createLocalRows, type LocalRows } from './local-rows.ts';
import { createReaders, createUnstoredBlocks, type Readers, type Snapshot, snapshotOf } from './snapshot.ts';
import { type Verification, type VerifyOptions, verifyStored } from './verify.ts';
import { createWriteQueue, type Operation } from './write-queue.ts';

/** Tries against other writers of the same database before a write gives up. */
const ATTEMPTS_MAX = 50;
const OPERATIONS_PER_COMMIT_MAX = 5000;
const NOTHING = new Uint8Array();

export interface RemoteMerge {
  readonly head: Head;
  /** Plain archives that hold what the head needs and this database does not. */
  readonly archives: readonly Archive[];
  /** Rows in which to remember what the remote holds. */
  readonly remember: readonly StoreChange[];
}

export interface Commits {
  readonly readers: Readers;
  readonly keys: DatabaseKeys;
  /** The archives of attached files. */
  readonly files: Files;
  /** What this device keeps beside the documents. */
  readonly local: LocalRows;
  /** File archives that a document refers to; one of these documents, when ids are given. @throws FixpointError MISSING_BLOCK, CORRUPT */
  fileArchivesNamed(ids?: readonly string[]): Promise<ReadonlySet<Cid>>;
  snapshot(): Snapshot;
  /** Resolves when the operations are durable. @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT */
  write(operations: readonly Operation[]): Promise<void>;
  /** Archives, merged head and rows of the remote in one durable step; with an empty head it stores and moves nothing. @throws FixpointError MISSING_BLOCK when the head needs more */
  mergeRemote(merge: RemoteMerge): Promise<void>;
  subscribe(listener: (change: HeadChange) => void): () => void;
  hasArchive(cid: Cid): boolean;
  archiveIds(): readonly Cid[];
  /** Which archive of this database has a block. */
  archiveOf(block: Cid): Cid | undefined;
  /** Blocks of an archive of this database. */
  blocksOf(cid: Cid): Promise<readonly Block[]>;
  pendingUploads(): Promise<readonly Cid[]>;
  /** The plain bytes of an archive of this database. @throws FixpointError MISSING_CARS, CORRUPT */
  plainArchive(cid: Cid): Promise<Uint8Array>;
  /** Rows of a remote, by key. */
  remembered(prefix: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The archives are at the remote: off the upload queue, together with what is now known of the remote. */
  markUploaded(archives: readonly Cid[], remember: readonly StoreChange[]): Promise<void>;
  /** Looks at all that is stored; changes nothing. */
  verify(options: VerifyOptions): Promise<Verification>;
  /** Merges small archives into big ones. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

export interface CommitParts {
  readonly store: ByteStore;
  readonly keys: Pick<DatabaseKeys, 'keys'>;
  /** The keys for what is sent. */
  readonly ledgerKeys: DatabaseKeys;
  readonly channel: Channel;
  readonly time: Time;
  readonly report: (error: unknown) => void;
}

/** @throws FixpointError CORRUPT, MISSING_BLOCK, KEY_UNKNOWN */
export async function openCommits(parts: CommitParts): Promise<Commits> {
  const { store, keys, channel, time, report } = parts;
  const archives = new Archives(store, keys.keys);
  const files = createFiles(store, new FileArchives(store, keys.keys), time);
  const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
  const unstored = createUnstoredBlocks(genesis.blocks);
  const readers = createReaders(archives.readBlock, unstored, files.read, archives.readBlocks);
  const feed = createFeed(report);
  const headKey = headKeyOf(store.writer);
  /** The head record of this writer. */
  let headBytes: Uint8Array | undefined;
  /** Head records of other writers, which `current` contains: the next one of this writer takes their place. */
  let otherHeads: readonly StoreChange[] = [];
  let current: Snapshot = { head: sortHead([]), root: undefined, merged: [] };
  let closed = false;

  function show(next: Snapshot, bytes: Uint8Array | undefined): void {
    current = next;
    headBytes = bytes;
    unstored.show(next);
  }

  /** Reads the head record again. Gives whether another writer had moved it. */
  async function reload(): Promise<boolean> {
    await store.refresh?.();
    const records = await store.readPrefix(HEAD_KEY);
    const bytes = records.get(headKey);
    await archives.refresh();
    await files.refresh();
    otherHeads = [...records.keys()]
      .filter((key) => key !== headKey)
      .map((key) => ({ key, bytes: undefined }));
    let head = sortHead([]);
    for (const record of records.values())
      head = await mergeHeads(head, decodeHeadRecord(record), readers.event);
    const moved = head.join() !== current.head.join();
    const before = current.head;
    show(moved ? await snapshotOf(head, readers) : current, bytes);
    if (moved && before.length > 0) await tell(before, 'elsewhere');
    return moved;
  }

  async function tell(before: Head, origin: HeadChange['origin'], ids?: readonly string[]): Promise<void> {
    const after = current.head;
    const written = ids ?? (await changesSince(after, before, readers.event)).map(({ key }) => key);
    feed.emit({ before, after, ids: written.filter((id) => id !== GENESIS_KEY), origin });
  }

  /** One durable step that moves the head. Gives false when another writer moved it first. */
  async function advance(
    next: Snapshot,
    changes: readonly StoreChange[],
    fresh: readonly Archive[],
    keep: boolean,
  ): Promise<boolean> {
    const bytes = encodeHeadRecord(next.head);
    const done = await store.write([...changes, ...otherHeads, { key: headKey, bytes }], {
      key: headKey,
      bytes: headBytes,
    });
    if (!done) return false;
    otherHeads = [];
    archives.added(fresh, keep);
    show(next, bytes);
    channel.post();
    return true;
  }

  async function attempts(step: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if (closed) throw new FixpointError('DATABASE_CLOSED');
      if (await step()) return;
      await reload();
    }
    throw new FixpointError('STORE_FAILED', 'other writers were always faster');
  }

  const commit = (operations: readonly Operation[]) =>
    attempts(async () => {
      const before = current;
      const isFirst = before.head.length === 0;
      const archivesMade: Archive[] = [];
      if (isFirst) {
        archivesMade.push(packArchive({ cars: [], compact: [], head: genesis.head }, genesis.blocks));
      }
      const base = isFirst ? { head: genesis.head, root: genesis.root, merged: [] } : before;
      const puts = operations.map(({ key, value }) => [key as string, value.cid] as const);
      const trie = await putMany(readers.shard, base.root, puts);
      const attached = operations.flatMap((operation) => operation.files ?? []);
      const fileChanges = await files.changesFor(attached);
      if (trie.root === base.root && operations.length === 1 && !isFirst) {
        // The document is there as it is, but its files may have been missing.
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
      archivesMade.push(packArchive({ cars: [], compact: [], head }, blocks));
      const changes = [...(await archives.changesFor(archivesMade)), ...fileChanges];
      const uploads = archivesMade.map(({ cid }) => ({ key: uploadKey(cid), bytes: NOTHING }));
      if (
        !(await advance({ head, root: trie.root, merged: [] }, [...changes, ...uploads], archivesMade, true))
      )
        return false;
      files.written(attached);
      await tell(before.head, 'local', [...new Set(operations.map(({ key }) => key as string))]);
      return true;
    });

  const queue = createWriteQueue(async (operations) => {
    await commit(operations);
    if (isWorthMerging(archives.list.values())) void queue.exclusive(compactOnce).catch(report);
  }, OPERATIONS_PER_COMMIT_MAX);

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
      );
      const head = await mergeHeads(before.head, merge.head, staging.event);
      const next = await snapshotOf(head, staging);
      const changes = await archives.changesFor(fresh);
      if (!(await advance(next, [...changes, ...merge.remember], fresh, false))) return false;
      if (head.join() !== before.head.join()) await tell(before.head, 'remote');
      return true;
    });

  const pendingUploads = async () => (await store.keys(UPLOADS)).map((key) => parseCid(nameIn(UPLOADS, key)));

  async function compactOnce(): Promise<void> {
    const pending = new Set(await pendingUploads());
    const smallOnes = [...archives.list].map(([cid, { bytes }]) => ({
      cid,
      bytes,
      pending: pending.has(cid),
    }));
    for (const group of planMerge(smallOnes)) {
      const blocks = (await Promise.all(group.cids.map((cid) => archives.blocksOf(cid)))).flat();
      const merged = packArchive({ cars: [], compact: [group.cids], head: current.head }, blocks);
      const removals = group.cids.flatMap((cid) => [archiveKey(cid), blockIndexKey(cid), uploadKey(cid)]);
      const changes = [
        ...removals.map((key) => ({ key, bytes: undefined })),
        ...(await archives.changesFor([merged])),
        ...(group.pending ? [{ key: uploadKey(merged.cid), bytes: NOTHING }] : []),
      ];
      // An archive that another tab merged, or that was uploaded meanwhile, makes this plan void.
      if (!(await store.write(changes, { key: headKey, bytes: headBytes }))) return;
      archives.added([merged], false);
      archives.removed(group.cids);
    }
    await files.collect(current, readers, { key: headKey, bytes: headBytes });
  }

  let hinted = false;
  /** Hints that come while one waits say nothing more. */
  const hint = (look: () => Promise<boolean>) => {
    if (closed || hinted) return;
    hinted = true;
    const looked = queue.exclusive(async () => {
      hinted = false;
      if (!closed && (await look())) await reload();
    });
    void looked.catch(report);
  };
  const stopHints = [
    channel.onHint(() => hint(async () => true)),
    store.watch?.(() => hint(async () => (await store.refresh?.()) ?? true)),
  ];

  await reload();
  return {
    readers,
    keys: parts.ledgerKeys,
    files,
    local: createLocalRows(store),
    fileArchivesNamed: (ids) => liveFileArchives(current, readers, ids),
    snapshot: () => current,
    write: (operations) => queue.write(operations),
    mergeRemote: (merge) => queue.exclusive(() => mergeRemote(merge)),
    subscribe: feed.subscribe,
    hasArchive: (cid) => archives.has(cid),
    archiveOf: (block) => archives.archiveOf(block),
    archiveIds: () => [...archives.list.keys()],
    blocksOf: (cid) => archives.blocksOf(cid),
    pendingUploads,
    plainArchive: (cid) => archives.readArchive(cid),
    remembered: (prefix) => store.readPrefix(prefix),
    markUploaded: (uploaded, remember) =>
      queue.exclusive(async () => {
        await store.write([
          ...uploaded.map((cid) => ({ key: uploadKey(cid), bytes: undefined })),
          ...remember,
        ]);
      }),
    verify: (options) =>
      verifyStored(
        {
          archiveIds: () => [...archives.list.keys()],
          plainArchive: (cid) => archives.readArchive(cid),
          readers,
          snapshot: current,
          rest: () => time.turn?.() ?? Promise.resolve(),
        },
        options,
      ),
    compact: () => queue.exclusive(compactOnce),
    close: () =>
      queue.exclusive(async () => {
        closed = true;
        for (const stop of stopHints) stop?.();
        channel.close();
        await store.close();
      }),
  };
}
