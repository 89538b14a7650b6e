/** The interface of the commit layer, for the layers above it. */
import type { Archive } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Time } from '../ports/time.ts';
import type { Files } from './attached-files.ts';
import type { Retention } from './compaction/live-blocks.ts';
import type { LocalRows } from './local-rows.ts';
import type { HeadChange } from './news.ts';
import type { Hold, SteadyReads } from './reads.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import type { Verification, VerifyOptions } from './verify.ts';
import type { Operation } from './write-queue.ts';

export interface RemoteMerge {
  readonly head: Head;
  /** Plain archives with blocks that the head needs and this database lacks. */
  readonly archives: readonly Archive[];
  /** Rows that remember what the remote holds. */
  readonly remember: readonly StoreChange[];
  /** Archives stored earlier without a head, which this head makes part of the history. */
  readonly settled?: readonly Cid[];
}

export interface Commits extends SteadyReads {
  readonly readers: Readers;
  readonly keys: DatabaseKeys;
  /** The archives of attached files. */
  readonly files: Files;
  /** Rows that this device keeps beside the documents. */
  readonly local: LocalRows;
  /**
   * Returns the file archives that documents refer to; with `ids`, only those documents.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  fileArchivesNamed(ids?: readonly string[]): Promise<ReadonlySet<Cid>>;
  snapshot(): Snapshot;
  /**
   * Holds the current snapshot for a slow reader: everything it needs stays until it is released.
   */
  hold(): Hold;
  /** Returns whether compaction dropped any past state. */
  hasDropped(): boolean;
  /** The oldest event of the history, if older ones were dropped. */
  horizon(): Cid | undefined;
  /** Returns whether an event that is missing here may be one that compaction dropped. */
  hasDroppedEvents(): boolean;
  /**
   * Stops dropping events from now on. Call it before sending anything. If events were dropped, it
   * replaces the history with a joined one that can be sent.
   */
  prepareForSync(): Promise<void>;
  /**
   * Resolves when the operations are durable.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT
   */
  write(operations: readonly Operation[]): Promise<void>;
  /**
   * Stores archives, merged head and remote rows in one durable step. An empty head only stores; it
   * moves nothing.
   * @throws FixpointError MISSING_BLOCK when the head needs more
   */
  mergeRemote(merge: RemoteMerge): Promise<void>;
  subscribe(listener: (change: HeadChange) => void): () => void;
  hasArchive(cid: Cid): boolean;
  archiveIds(): readonly Cid[];
  /** Returns the archive of this database that holds a block. */
  archiveOf(block: Cid): Cid | undefined;
  /** Returns the blocks of an archive of this database. */
  blocksOf(cid: Cid): Promise<readonly Block[]>;
  pendingUploads(): Promise<readonly Cid[]>;
  /**
   * Returns the plain bytes of an archive of this database.
   * @throws FixpointError MISSING_CARS, CORRUPT
   */
  plainArchive(cid: Cid): Promise<Uint8Array>;
  /** Returns the rows of a remote, by key. */
  remembered(prefix: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Removes uploaded archives from the upload queue, and stores what is now known of the remote in
   * the same step.
   */
  markUploaded(archives: readonly Cid[], remember: readonly StoreChange[]): Promise<void>;
  /** Checks everything that is stored; changes nothing. */
  verify(options: VerifyOptions): Promise<Verification>;
  /** Drops unneeded data and merges small archives, concurrently with readers and writers. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

export interface CommitParts {
  readonly store: ByteStore;
  readonly keys: Pick<DatabaseKeys, 'keys'> & Partial<Pick<DatabaseKeys, 'refresh'>>;
  /** The keys that seal what is sent. */
  readonly ledgerKeys: DatabaseKeys;
  readonly channel: Channel;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  readonly retention?: Retention | undefined;
  /** Loads the rarely used code of this room. */
  readonly load: () => Promise<typeof import('./lazy-commit-chunk.ts')>;
  /** See {@link Archives}. */
  readonly archivesKept?: number | undefined;
}
