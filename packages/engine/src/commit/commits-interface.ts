import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { OpeningLimits } from '../ports/opening-limits.ts';
import type { Time } from '../ports/time.ts';
import type { Files } from './attached-files.ts';
import type { Retention } from './compaction/live-blocks.ts';
import type { LocalRows } from './local-rows.ts';
import type { RemoteMerge } from './merge-remote.ts';
import type { HeadChange } from './news.ts';
import type { Hold, SteadyReads } from './reads.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import type { Verification, VerifyOptions } from './verify/verify.ts';
import type { MakeOperations, Write } from './write-queue.ts';

export interface Commits extends SteadyReads {
  readonly readers: Readers;
  readonly keys: DatabaseKeys;
  /** The archives of attached files. */
  readonly files: Files;
  /** Rows that are never uploaded, such as the rows of indexes. */
  readonly local: LocalRows;
  /**
   * Returns the file archives that documents refer to. With `ids`, considers only these documents.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  fileArchivesNamed(ids?: readonly string[]): Promise<ReadonlySet<Cid>>;
  snapshot(): Snapshot;
  /** Reads the stored head, which another tab may have moved. Returns whether it had. */
  refresh(): Promise<boolean>;
  /**
   * Holds the current snapshot for a slow reader. Compaction keeps the whole snapshot until the
   * reader releases it.
   */
  hold(): Hold;
  /** Returns whether compaction dropped any past state. */
  hasDropped(): boolean;
  /** Returns the oldest kept event of the history, or undefined if no events were dropped. */
  horizon(): Cid | undefined;
  /**
   * Returns whether compaction has dropped events. If so, a missing event may be one that was
   * dropped.
   */
  hasDroppedEvents(): boolean;
  /**
   * Stops compaction from dropping events. Call this before sending anything. If events were
   * already dropped, replaces the history with a single event, which can be sent.
   */
  prepareForSync(): Promise<void>;
  /**
   * Resolves when the operations are durable. If `operations` is a function, it is called when all
   * earlier writes are committed, and returns the operations.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT, and what the function throws
   */
  write(operations: Write): Promise<void>;
  /** Returns the newest value of a document that is acknowledged, but not yet part of the head. */
  pending(key: string): Block | undefined;
  /** Returns whether the head contains all acknowledged writes. */
  isSettled(): boolean;
  /**
   * Resolves when the head contains all writes that were acknowledged before the call.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT
   */
  settle(): Promise<void>;
  /**
   * Stores the archives, the merged head and the rows of the remote in one durable step. With an
   * empty head, stores only archives and rows.
   * @throws FixpointError MISSING_BLOCK when the head needs blocks that are missing
   */
  mergeRemote(merge: RemoteMerge): Promise<void>;
  /**
   * Commits the operations that `make` returns as an event that merges concurrent versions. `make`
   * is called again if another tab moves the head before the commit. Without operations, nothing
   * is written. Returns whether the event was written.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT, MISSING_BLOCK
   */
  writeMerge(make: MakeOperations): Promise<boolean>;
  subscribe(listener: (change: HeadChange) => void): () => void;
  /** Returns the id of this device in the stamps of events; undefined if events have no stamps. */
  device(): Promise<string | undefined>;
  hasArchive(cid: Cid): boolean;
  archiveIds(): readonly Cid[];
  /**
   * Reads the indexes of all archives, of which an open reads only parts. Call this before
   * `archiveOf`.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  readIndexes(): Promise<void>;
  /**
   * Returns the archive of this database that contains a block. Throws before `readIndexes`.
   */
  archiveOf(block: Cid): Cid | undefined;
  /** Returns the blocks of an archive of this database. */
  blocksOf(cid: Cid): Promise<readonly Block[]>;
  /** Returns the first block of an archive of this database; undefined if the archive is empty. */
  firstBlockOf(cid: Cid): Promise<Uint8Array | undefined>;
  pendingUploads(): Promise<readonly Cid[]>;
  /**
   * Returns the plain bytes of an archive of this database.
   * @throws FixpointError MISSING_CARS, CORRUPT
   */
  plainArchive(cid: Cid): Promise<Uint8Array>;
  /** Returns the rows whose keys start with a prefix, such as the rows of a remote. */
  remembered(prefix: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Removes uploaded archives from the upload queue. Stores rows about the remote in the same step.
   */
  markUploaded(archives: readonly Cid[], remember: readonly StoreChange[]): Promise<void>;
  /** Checks everything that is stored, and changes nothing. */
  verify(options: VerifyOptions): Promise<Verification>;
  /** Drops unneeded data and merges small archives, concurrently with readers and writers. */
  compact(): Promise<void>;
  /** @param options by default, first stores the rows that make the next open quick */
  close(options?: { readonly save: boolean }): Promise<void>;
}

export interface CommitParts {
  readonly store: ByteStore;
  readonly keys: Pick<DatabaseKeys, 'keys'> & Partial<Pick<DatabaseKeys, 'refresh'>>;
  /** Returns a name for this writer, which is used if the store's writers have no numbers. */
  readonly newWriter: () => string;
  /** Returns random bytes for the id of this device; absent if events have no stamps. */
  readonly newDevice?: ((length: number) => Uint8Array) | undefined;
  /** Whether this device signs its events. */
  readonly isSigned?: boolean | undefined;
  /** The keys that seal data before it is sent. */
  readonly ledgerKeys: DatabaseKeys;
  readonly channel: Channel;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  readonly retention?: Retention | undefined;
  /** Whether each write waits for its own commit. Otherwise, many small writes share one. */
  readonly commitEachWrite?: boolean | undefined;
  /** Loads the rarely used code of this folder. */
  readonly load: () => Promise<typeof import('./lazy-commit-chunk.ts')>;
  /** See {@link Archives}. */
  readonly archivesKept?: number | undefined;
  /** Default {@link OPENING_LIMITS}. */
  readonly openingLimits?: OpeningLimits | undefined;
}
