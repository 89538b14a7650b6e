/**
 * Space that is set aside, so that deletes, compaction and commits of acknowledged writes work even
 * if the disk or quota is full.
 * When one of their writes finds no space, the reserve is released, and the write runs again. The
 * reserve is taken again as soon as there is space. Until then, all other writes are rejected,
 * because they would use the space that deletes and compaction need.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';

/** The storage of a reserve. */
export interface ReservePlace {
  /**
   * Takes the space, unless it is taken already. `written` is the number of bytes that this process
   * has written to the store. Returns the value of `written` above which this method must be called
   * again.
   * @throws FixpointError STORE_FULL
   */
  take(written: number): Promise<number>;
  giveUp(): Promise<void>;
  /**
   * Rejects if there is no space to write `bytes` bytes. Only storage where even a rejected write
   * uses space has this method.
   * @throws FixpointError STORE_FULL
   */
  probe?(bytes: number): Promise<void>;
}

export interface Reserve {
  /**
   * Runs work that needs a little space, such as a write that frees more space. If the disk is
   * full, releases the reserve and runs the work again.
   */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Takes the reserve if it isn't taken. Call this before each write of `bytes` bytes that doesn't
   * free space.
   * @throws FixpointError STORE_FULL while there is no space for the reserve
   */
  keep(bytes: number): Promise<void>;
  readonly probe: ReservePlace['probe'];
}

function createReserve({ take, giveUp, probe }: ReservePlace): Reserve {
  let written = 0;
  /** The value of `written` up to which the reserve is enough; -1 while no reserve is taken. */
  let enoughFor = -1;
  /** The latest work that uses released space. */
  let spending: Promise<unknown> | undefined;
  return {
    probe,
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        // Start counting again: a reserve of the smallest size is enough to accept writes again.
        [written, enoughFor] = [0, -1];
        // If nothing could be released, the second attempt reports the full disk.
        const again = giveUp().then(work, work);
        spending = again.catch(() => undefined);
        return again;
      }
    },
    keep: async (bytes) => {
      await spending;
      written += bytes;
      if (written <= enoughFor) return;
      enoughFor = await take(written).catch((cause) => {
        // Ignore other failures: if the write has the same problem, it reports the problem itself.
        if (isFixpointError(cause, 'STORE_FULL')) throw cause;
        return Number.POSITIVE_INFINITY;
      });
    },
  };
}

/**
 * Three reserves: deletes use the first one, and commits of pending writes the second one, so that
 * deletes keep theirs. Compaction also has a third one, in case the others were used up.
 */
export interface Reserves {
  readonly forDeletes: Reserve;
  readonly forCompaction: Reserve;
  readonly forPending: Reserve;
}

export const createReserves = (placeOf: (kind: keyof Reserves) => ReservePlace): Reserves => ({
  forDeletes: createReserve(placeOf('forDeletes')),
  forCompaction: createReserve(placeOf('forCompaction')),
  forPending: createReserve(placeOf('forPending')),
});

/** Wraps a store so that writes which free space still work when the disk is full. */
export function withReserve(
  store: ByteStore,
  { forDeletes, forCompaction, forPending }: Reserves,
): ByteStore {
  let isClosed = false;
  /** Whether pending rows may be stored. Then no write may use the space for their commit. */
  let arePending = false;
  return {
    ...store,
    close: () => {
      isClosed = true;
      return store.close();
    },
    write: async (changes, guard) => {
      const write = () => store.write(changes, guard);
      // Work that ends after the close must take no more space. The store rejects its write.
      if (isClosed) return write();
      let size = 0;
      for (const { bytes } of changes) size += bytes?.length ?? 0;
      if (guard?.frees === 'now') {
        const probed = async () => {
          await forCompaction.probe?.(size);
          return write();
        };
        return forCompaction.spend(() => forDeletes.spend(() => forPending.spend(probed)));
      }
      if (guard?.frees === 'later') return forDeletes.spend(write);
      arePending ||= guard?.frees === 'pending' || changes.some(({ isPending }) => isPending);
      if (guard?.frees === 'pending') return forPending.spend(write);
      await Promise.all([
        forCompaction.keep(size),
        forDeletes.keep(size),
        // A commit of pending writes is short, however much was written before.
        arePending && forPending.keep(0),
      ]);
      return write();
    },
  };
}
