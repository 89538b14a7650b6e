import type { FixpointError } from '@fixpoint/protocol';

/** A key of the store, such as `car/<cid>` or `head`. */
export type StoreKey = string;

export interface StoreChange {
  readonly key: StoreKey;
  /** Undefined removes the key. */
  readonly bytes: Uint8Array | undefined;
}

/** What a key has to hold for a write to be done: exactly these bytes, or nothing. */
export interface Guard {
  readonly key: StoreKey;
  readonly bytes: Uint8Array | undefined;
  /**
   * What is written under this key says the same in other bytes. Where writers do not see each other at once, what another of them writes there or removes
   * meanwhile counts; and it may be refused where others say on their own that the key is there.
   */
  readonly isRestated?: boolean;
  /** The write frees space (`now`: a compaction) or lets one free it (`later`: a delete): a store keeps space for those that others don't get. */
  readonly frees?: 'now' | 'later' | undefined;
  /** What `news` counted when that was read which the changes build on, or remove: nothing may have come since. */
  readonly news?: number | undefined;
}

/** When a write counts as done: on the disk (`strict`), or with the operating system (`relaxed`), which loses it when the power fails. */
export type Durability = 'strict' | 'relaxed';

/**
 * Durable bytes by key. `testing/byte-store-suite.ts` checks this contract for every adapter:
 * - B1 `write` is atomic: after a crash a reader finds all changes of it or none;
 * - B2 `write` resolves only when the changes are durable (unless the store was opened `relaxed`);
 * - B3 an absent key reads as undefined; a damaged one throws CORRUPT, never undefined;
 * - B4 a part of a value is what `read` gives there.
 */
export interface ByteStore {
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  read(key: StoreKey): Promise<Uint8Array | undefined>;
  /**
   * Part of a value, and less where the value ends before. Absent where it costs as much as the whole value.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  readPart?(key: StoreKey, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** @throws FixpointError CORRUPT, STORE_FAILED */
  readPrefix(prefix: string): Promise<ReadonlyMap<StoreKey, Uint8Array>>;
  keys(prefix: string): Promise<readonly StoreKey[]>;
  /** How long the value of a key is, where that is known without reading it; undefined when there is none. */
  lengthOf?(key: StoreKey): number | undefined;
  /**
   * One step for all changes. Gives false, with nothing written, when the guard does not hold.
   * @throws FixpointError STORE_FULL, STORE_FAILED; nothing was written then. Where a store cannot say that (its disk fails at undoing, too), it takes no
   * more writes, and who opens it next finds all of the changes or none
   */
  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean>;
  /**
   * The number of this writer, where several writers have rows of their own and each sees those of others only after `refresh`: a guard says nothing
   * about them then. Undefined where a guard holds for all.
   */
  readonly writer?: number;
  /** Takes in what other writers wrote; gives whether there was anything. @throws FixpointError CORRUPT, STORE_FAILED */
  refresh?(): Promise<boolean>;
  /** Counts how often something of other writers was taken in. */
  news?(): number;
  /** Calls back when others may have written. */
  watch?(fn: () => void): () => void;
  /**
   * Does the work when it is its turn among the writers of all tabs, or after a while without one. Where many write at once, guards alone would let the
   * fastest ones win again and again.
   */
  inTurn?<T>(work: () => Promise<T>): Promise<T>;
  /** Whether no other process has the store open; where there is a writer's number, nothing may be removed that others may need while this is false. */
  isAlone?(): Promise<boolean>;
  /** Reads the lists of rows again from the disk. @throws FixpointError CORRUPT when something is missing, or is an older copy */
  inspect?(): Promise<void>;
  /**
   * Does short work while no process can remove the store or put another one in its place.
   * @throws FixpointError DATABASE_CLOSED when it was removed before
   */
  whileThere?(work: () => Promise<void>): Promise<void>;
  /** Makes durable what was written, where a write does not wait for that. @throws FixpointError STORE_FAILED */
  sync?(): Promise<void>;
  /** Gives back the space of what was removed, if the store does not do so by itself. @throws FixpointError STORE_FULL, STORE_FAILED; nothing is lost then */
  shrink?(): Promise<void>;
  /**
   * Calls back when the store was closed from outside, with the error that its calls fail with from then on: DATABASE_CLOSED after another tab or process
   * destroyed it, STORE_LOST after the browser or the user removed what it held.
   */
  onClosed?(fn: (reason: FixpointError) => void): () => void;
  close(): Promise<void>;
  /** Closes, and removes all that was stored. */
  destroy(): Promise<void>;
}
