/** State that the handles of one database share. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
import type { Operation } from '../commit/write-queue.ts';
import type { DocKey } from '../documents/doc-key.ts';
import type { Indexes } from '../index/indexes.ts';
import type { Platform } from '../ports/platform.ts';

/** Indexes whose code loads on first use. */
export interface LazyIndexes extends Pick<Indexes, 'close'> {
  load(): Promise<Indexes>;
}

export interface Core {
  readonly name: string;
  readonly platform: Platform;
  readonly commits: Commits;
  readonly indexes: LazyIndexes;
  /** Encrypts all stored data again, with the current key. */
  readonly rewrite: () => Promise<void>;
  /** Pending reads of single documents. Long reads pause until these are done. */
  readonly reading: Set<Promise<unknown>>;
  /**
   * Listeners that are called when the database closes. Each receives the reason, or nothing when a
   * handle closed or destroyed the database.
   */
  readonly onClosed: Set<(reason?: FixpointError) => void>;
}

/** How much of the past stays readable. */
export type HistoryOption = { readonly commits: number } | 'all';

/** A validated write, which later changes to the caller's object don't affect. */
export interface PreparedWrite {
  readonly key: DocKey;
  /**
   * The operation, or a function that reads the files and then returns the operation.
   * @throws FixpointError FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED
   */
  readonly operation: Operation | ((core: Core) => Promise<Operation>);
}

/** Keeps the writes of one document in call order, even when one of them waits for its files. */
export interface WriteOrder {
  /**
   * Resolves when earlier writes of these documents that wait for files, or for a search for
   * conflicts, have finished. Without `keys`, considers all documents.
   */
  settled(keys?: readonly DocKey[]): Promise<void>;
  /**
   * Writes after the earlier writes of these documents.
   * @param commit replaces `commits.write`; later writes of the documents wait for it
   */
  write(
    core: Core,
    prepared: readonly PreparedWrite[],
    commit?: (operations: readonly Operation[]) => Promise<void>,
  ): Promise<void>;
}
