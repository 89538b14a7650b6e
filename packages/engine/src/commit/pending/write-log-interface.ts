/** The interface of the log in front of commits. Its code loads only if the log is used. */
import type { Block } from '../../codec/block.ts';
import type { Operation } from '../write-queue.ts';
import type { PendingRow } from './pending-rows.ts';

export interface WriteLog {
  /**
   * Resolves when the operations are durable.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT
   */
  write(operations: readonly Operation[]): Promise<void>;
  /** Returns the newest pending value of a document. */
  get(key: string): Block | undefined;
  isEmpty(): boolean;
  /**
   * Resolves when commits contain all writes that were acknowledged before the call.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT
   */
  settle(): Promise<void>;
  /** Like {@link settle}, for callers that run in a turn of `exclusive`. */
  settleInTurn(): Promise<void>;
  /** Adds rows that an earlier owner of this log left. */
  adopt(rows: readonly PendingRow[]): void;
  /**
   * Gives later rows higher numbers than this one, even if the clock was set back. Call it with the
   * numbers of other writers' rows.
   */
  continueAfter(number: number): void;
  /** Stops committing by itself. Resolves when the rows of all earlier writes are stored. */
  stop(): Promise<void>;
}

export interface OpenLog extends WriteLog {
  /**
   * Commits all rows that writers left when they stopped. Call it once, after the head was opened.
   * @throws FixpointError CORRUPT, KEY_UNKNOWN, STORE_FULL, STORE_FAILED
   */
  recover(): Promise<void>;
  /** Call it after each sign of another writer. Commits what writers left that stopped. */
  noticed(): void;
}

/** Stands for the log of a database that doesn't use one: every write is committed directly. */
export const withoutLog = (direct: WriteLog['write']): OpenLog => ({
  write: direct,
  get: () => undefined,
  isEmpty: () => true,
  settle: async () => undefined,
  settleInTurn: async () => undefined,
  adopt: () => undefined,
  continueAfter: () => undefined,
  stop: async () => undefined,
  recover: async () => undefined,
  noticed: () => undefined,
});
