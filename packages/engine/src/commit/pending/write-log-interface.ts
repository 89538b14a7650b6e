/** The interface of the log in front of commits. */
import type { Pace } from '../../base/pace.ts';
import type { Turns } from '../../base/turns.ts';
import type { Block } from '../../codec/block.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import type { Attempts } from '../attempts.ts';
import type { CurrentHead } from '../current-head.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Operation, Write } from '../write-queue.ts';
import type { PendingRow } from './pending-rows.ts';

export interface OpenLogParts {
  readonly head: CurrentHead;
  readonly store: ByteStore;
  /** Returns a name for this writer, which is used if the store's writers have no numbers. */
  readonly newWriter: () => string;
  readonly time: Time;
  readonly pace: Pace;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  readonly committed: () => void;
  /** If true, no write of this writer uses the log. */
  readonly commitEachWrite?: boolean | undefined;
  readonly report: (error: unknown) => void;
}

export interface SettleOptions {
  /** Whether to look for the rows of other tabs, even if no hint has arrived. */
  readonly lookForOthers?: boolean;
  /** Deletions that become part of the same commit, and may use the space reserved for them. */
  readonly deletions?: readonly Operation[];
}

export interface WriteLog {
  /** Returns whether the log may contain this write now. All others are committed directly. */
  takes(operations: Write): operations is readonly Operation[];
  /**
   * Resolves when the operations are durable. The order of the calls is the order of the writes.
   * @throws FixpointError STORE_FULL, STORE_FAILED
   */
  append(operations: readonly Operation[]): Promise<void>;
  /** Resolves when the rows of all earlier writes are stored, or were rejected. */
  appended(): Promise<void>;
  /** Returns the newest pending value of a document. */
  get(key: string): Block | undefined;
  isEmpty(): boolean;
  /** Returns the rows of pending writes, in the order of the writes. */
  rows(): readonly PendingRow[];
  /**
   * Resolves when commits contain all writes that were acknowledged before the call.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT
   */
  settle(): Promise<void>;
  /** Like {@link settle}, for callers that run in a turn of `exclusive`. */
  settleInTurn(options?: SettleOptions): Promise<void>;
  /** Adds rows that an earlier owner of this log left. */
  adopt(rows: readonly PendingRow[]): void;
  /** Stops commits in the background. Resolves when the rows of all earlier writes are stored. */
  stop(): Promise<void>;
}

export interface OpenLog extends WriteLog {
  /**
   * Looks for rows that writers left when they stopped, and commits them. Call it once.
   * @param opened resolves when the head is open
   * @throws FixpointError CORRUPT, KEY_UNKNOWN, STORE_FULL, STORE_FAILED
   */
  recover(opened: Promise<void>): Promise<void>;
  /**
   * Returns a snapshot that contains the pending writes, but has the head of the last commit. Use
   * it only for reads without history, such as `allDocs`, while the disk is too full to commit.
   * @throws FixpointError CORRUPT, MISSING_BLOCK, STORE_FAILED
   */
  preview(): Promise<Snapshot>;
  /** Commits the rows of processes that stopped, where each process has its own rows. */
  adoptAbandoned(): Promise<void>;
  /** Call it after each hint of another writer. Later commits the rows of stopped writers. */
  noticed(): void;
}
