/** State that the handles of one database share. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
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
