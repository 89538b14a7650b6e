/** What the one door offers to the rooms above it. */
import type { Archive } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Time } from '../ports/time.ts';
import type { HeadChange } from './feed.ts';
import type { Files } from './files.ts';
import type { Hold } from './holds.ts';
import type { Retention } from './live-blocks.ts';
import type { LocalRows } from './local-rows.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import type { SteadyReads } from './steady-reads.ts';
import type { Verification, VerifyOptions } from './verify.ts';
import type { Operation } from './write-queue.ts';

export interface RemoteMerge {
  readonly head: Head;
  /** Plain archives that hold what the head needs and this database does not. */
  readonly archives: readonly Archive[];
  /** Rows in which to remember what the remote holds. */
  readonly remember: readonly StoreChange[];
  /** Archives stored before, without a head, that the head makes part of the history. */
  readonly settled?: readonly Cid[];
}

export interface Commits extends SteadyReads {
  readonly readers: Readers;
  readonly keys: DatabaseKeys;
  /** The archives of attached files. */
  readonly files: Files;
  /** What this device keeps beside the documents. */
  readonly local: LocalRows;
  /** File archives that a document refers to; one of these documents, when ids are given. @throws FixpointError MISSING_BLOCK, CORRUPT */
  fileArchivesNamed(ids?: readonly string[]): Promise<ReadonlySet<Cid>>;
  snapshot(): Snapshot;
  /** The current snapshot for a reader that takes its time: whatever it needs stays until it lets go. */
  hold(): Hold;
  /** Whether compaction dropped anything of the past. */
  hasDropped(): boolean;
  /** The oldest event of the history, when older ones were dropped. */
  horizon(): Cid | undefined;
  /** Whether an event that is not here may be one that compaction dropped. */
  hasDroppedEvents(): boolean;
  /** From now on no event is dropped. To be called before anything is sent: if events were dropped, the history is joined to one that can be sent. */
  prepareForSync(): Promise<void>;
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
  /** Drops what nothing needs any more, and merges small archives into big ones, beside readers and writers. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

export interface CommitParts {
  readonly store: ByteStore;
  readonly keys: Pick<DatabaseKeys, 'keys'> & Partial<Pick<DatabaseKeys, 'refresh'>>;
  /** The keys for what is sent. */
  readonly ledgerKeys: DatabaseKeys;
  readonly channel: Channel;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  readonly retention?: Retention | undefined;
  /** As of {@link Archives}. */
  readonly archivesKept?: number | undefined;
}
