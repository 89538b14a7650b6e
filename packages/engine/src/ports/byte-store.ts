import type { FixpointError } from '@fixpoint/protocol';

/** A key of the store, such as `car/<cid>` or `head`. */
type StoreKey = string;

export interface StoreChange {
  readonly key: StoreKey;
  /** Undefined removes the key. */
  readonly bytes: Uint8Array | undefined;
}

/** The condition of a write: the key holds exactly these bytes, or nothing. */
export interface Guard {
  readonly key: StoreKey;
  readonly bytes: Uint8Array | undefined;
  /**
   * Anything written under this key has the same meaning, even in other bytes. Where writers don't
   * see each other at once, a concurrent write or removal by another one takes precedence. The
   * write may also be rejected where others independently record that the key exists.
   */
  readonly isRestated?: boolean;
  /**
   * The write frees space (`now`: a compaction), or allows a later one to free it (`later`: a
   * delete): a store reserves space for such writes.
   */
  readonly frees?: 'now' | 'later' | undefined;
  /**
   * Value of `news` when the state was read that the changes build on or remove: nothing new may
   * have arrived since.
   */
  readonly news?: number | undefined;
}

/**
 * When a write counts as done: on disk (`strict`), or with the operating system (`relaxed`), which
 * loses it in a power failure.
 */
export type Durability = 'strict' | 'relaxed';

/**
 * Stores durable bytes by key. `testing/byte-store-suite.ts` checks this contract for every
 * adapter:
 * - B1 `write` is atomic: after a crash a reader finds all of its changes or none;
 * - B2 `write` resolves only when the changes are durable (unless the store was opened `relaxed`);
 * - B3 an absent key reads as undefined; a damaged one throws CORRUPT, never undefined;
 * - B4 reading a part of a value gives the same bytes as `read` has there.
 */
export interface ByteStore {
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  read(key: StoreKey): Promise<Uint8Array | undefined>;
  /**
   * Returns part of a value, shorter where the value ends before. Absent where it costs as much as
   * the whole value.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  readPart?(key: StoreKey, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  readPrefix(prefix: string): Promise<ReadonlyMap<StoreKey, Uint8Array>>;
  keys(prefix: string): Promise<readonly StoreKey[]>;
  /**
   * Returns the length of a key's value, where known without reading it; undefined if there is
   * none.
   */
  lengthOf?(key: StoreKey): number | undefined;
  /**
   * Applies all changes in one step. Returns false, with nothing written, when the guard does not
   * hold.
   * @throws FixpointError STORE_FULL, STORE_FAILED; nothing was written then. If a store cannot
   * guarantee that (its disk also fails to undo), it rejects all further writes, and the next open
   * finds all of the changes or none
   */
  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean>;
  /**
   * Number of this writer, where several writers have their own rows and see those of others only
   * after `refresh`: a guard doesn't cover those. Undefined where a guard covers all writers.
   */
  readonly writer?: number;
  /**
   * Applies what other writers wrote; returns whether there was anything.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  refresh?(): Promise<boolean>;
  /** Counts how often changes of other writers were applied. */
  news?(): number;
  /** Calls back when others may have written. */
  watch?(fn: () => void): () => void;
  /**
   * Runs the work in turn among the writers of all tabs, or without a turn after a timeout. With
   * many writers, guards alone would let the fastest ones always win.
   */
  inTurn?<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Returns whether no other process has the store open. With a writer's number, nothing that
   * others may need may be removed while this is false.
   */
  isAlone?(): Promise<boolean>;
  /**
   * Rereads the lists of rows from disk.
   * @throws FixpointError CORRUPT when something is missing, or is an older copy
   */
  inspect?(): Promise<void>;
  /**
   * Runs short work while no process can remove or replace the store.
   * @throws FixpointError DATABASE_CLOSED when it was removed before
   */
  whileThere?(work: () => Promise<void>): Promise<void>;
  /**
   * Makes previous writes durable, where writes don't wait for that.
   * @throws FixpointError STORE_FAILED
   */
  sync?(): Promise<void>;
  /**
   * Frees the space of removed data, if the store does not do so by itself.
   * @throws FixpointError STORE_FULL, STORE_FAILED; nothing is lost then
   */
  shrink?(): Promise<void>;
  /**
   * Calls back when the store was closed from outside, with the error that its calls then reject
   * with: DATABASE_CLOSED after another tab or process destroyed it, STORE_LOST after the browser
   * or the user removed its data.
   */
  onClosed?(fn: (reason: FixpointError) => void): () => void;
  close(): Promise<void>;
  /** Closes the store and removes everything in it. */
  destroy(): Promise<void>;
}
