import type { FixpointError } from '@fixpoint/protocol';

/** A key of the store, such as `car/<cid>` or `head`. Keys are ASCII. */
type StoreKey = string;

/** A new value of one key. */
export interface StoreChange {
  readonly key: StoreKey;
  /** Undefined removes the key. */
  readonly bytes: Uint8Array | undefined;
  /** True if a later write commits this row. The store reserves space for that write. */
  readonly isPending?: boolean;
  /**
   * True if the value is long, and will rather be read in parts than as a whole. A store that
   * returns only whole values can store such a value in parts.
   */
  readonly inParts?: boolean;
}

/**
 * The condition of a write: the key must have exactly these bytes, or no value if `bytes` is
 * undefined.
 */
export interface Guard {
  readonly key: StoreKey;
  readonly bytes: Uint8Array | undefined;
  /**
   * True if all values written under this key have the same meaning, even if their bytes differ. If
   * writers don't see each other's writes at once, a concurrent write or removal by another writer
   * takes precedence over this one. The write may also be rejected if other writers independently
   * record that the key exists.
   */
  readonly isRestated?: boolean;
  /**
   * True if the condition also covers rows that other writers wrote since the last `refresh`. Such
   * a write waits for other processes, so it is for rows that are written once.
   */
  readonly coversAll?: boolean | undefined;
  /**
   * Whether the write frees space itself (`now`: a compaction), or lets a later write free space
   * (`later`: a delete), or commits writes that were already acknowledged (`pending`). A store
   * reserves space for such writes.
   */
  readonly frees?: 'now' | 'later' | 'pending' | undefined;
  /**
   * The value of `news` when the caller read the state that the changes build on or remove. The
   * write is rejected if changes of other writers were applied since then.
   */
  readonly news?: number | undefined;
}

/**
 * When a write counts as done: when it is on disk (`strict`), or when the operating system has
 * received it (`relaxed`). A power failure can undo relaxed writes.
 */
export type Durability = 'strict' | 'relaxed';

/**
 * Stores durable bytes by key. `byteStoreCases` checks this contract for every adapter:
 * - B1 `write` is atomic: after a crash a reader finds all of its changes or none;
 * - B2 `write` resolves only when the changes are durable (unless the store was opened `relaxed`);
 * - B3 reading an absent key returns undefined; reading a damaged value throws CORRUPT;
 * - B4 `readPart` returns the same bytes as that part of the result of `read`, or undefined;
 * - B6 reads show states in the order in which they begin: a read never shows an earlier state than
 *   a read that began before it, even if neither waits for the other. The engine reads the head and
 *   the lists of archives at once, and the lists must not be older than the head. This rule is only
 *   about changes of others: a read may miss a write of the same store that is still running.
 *
 * `fullDiskCases` checks the part for stores with a reserve:
 * - B5 on a full disk, reading and writes whose guard `frees` space continue. Other writes reject
 *   with STORE_FULL, and change nothing.
 */
export interface ByteStore {
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  read(key: StoreKey): Promise<Uint8Array | undefined>;
  /**
   * Returns a part of a value. The part is shorter than `length` if the value ends earlier. Returns
   * undefined if the key has no value, or if reading a part costs as much as reading the whole
   * value. A store in which that is always so doesn't have this method. The caller must check the
   * bytes, because parts of a damaged value may be missing.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  readPart?(key: StoreKey, offset: number, length: number): Promise<Uint8Array | undefined>;
  /**
   * The number of bytes that are read with a whole value in the time that reading a part takes in
   * addition to its bytes; 8,000 by default.
   */
  readonly partCost?: number;
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  readPrefix(prefix: string): Promise<ReadonlyMap<StoreKey, Uint8Array>>;
  /** Returns the keys that start with the prefix, in ascending order. */
  keys(prefix: string): Promise<readonly StoreKey[]>;
  /**
   * Returns the length of a key's value without reading the value; undefined if the key has no
   * value. A store that can't do that doesn't have this method.
   */
  lengthOf?(key: StoreKey): number | undefined;
  /**
   * Applies all changes in one step. Returns false, and writes nothing, when the condition of the
   * guard is not met.
   * @throws FixpointError STORE_FULL, STORE_FAILED; nothing was written then. If undoing the write
   * fails, too, the store rejects all further writes, and the next open finds all of the changes or
   * none
   */
  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean>;
  /**
   * The number of this writer, in a store where each writer has its own rows and sees the rows of
   * other writers only after `refresh`. A guard without `coversAll` doesn't cover rows that other
   * writers wrote since the last `refresh`. Undefined in stores in which a guard covers all
   * writers.
   */
  readonly writer?: number;
  /**
   * Applies changes of other writers. Returns whether any were applied since the last call.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  refresh?(): Promise<boolean>;
  /** Returns how often changes of other writers were applied. */
  news?(): number;
  /** Calls back when other writers may have written. */
  watch?(fn: () => void): () => void;
  /**
   * Runs the work when it is this writer's turn among the writers of all tabs, or after a timeout.
   * With many writers, guards alone would let the fastest ones always win.
   */
  inTurn?<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Returns whether no other process has the store open. While this returns false in a store that
   * has a `writer` number, callers must not remove anything that other processes may need.
   */
  isAlone?(): Promise<boolean>;
  /**
   * Runs the work if no living process owns the log of this writer, and keeps others from taking
   * that log until the work is done. Returns whether the work ran.
   */
  ifAbandoned?(writer: number, work: () => Promise<void>): Promise<boolean>;
  /**
   * Rereads the lists of rows from disk.
   * @throws FixpointError CORRUPT when something is missing, or is an older copy
   */
  inspect?(): Promise<void>;
  /**
   * Runs short work while no process can remove or replace the store.
   * @throws FixpointError DATABASE_CLOSED when the store was removed before
   */
  whileThere?(work: () => Promise<void>): Promise<void>;
  /**
   * Makes previous writes durable, in stores whose writes don't wait for that.
   * @throws FixpointError STORE_FAILED
   */
  sync?(): Promise<void>;
  /**
   * Frees the space of removed data, if the store does not do so by itself.
   * @throws FixpointError STORE_FULL, STORE_FAILED; nothing is lost then
   */
  shrink?(): Promise<void>;
  /**
   * Calls back when something else closed the store. From then on, calls reject with the same
   * `reason`: DATABASE_CLOSED after another tab or process destroyed it, STORE_LOST after the
   * browser or the user removed its data.
   */
  onClosed?(fn: (reason: FixpointError) => void): () => void;
  /** Closes the store. Later calls reject. */
  close(): Promise<void>;
  /** Closes the store and removes everything in it. */
  destroy(): Promise<void>;
}
