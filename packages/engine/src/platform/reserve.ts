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
   * Number of bytes before that value at which the space for more is taken, so that writes needn't
   * wait for it. Default 0.
   */
  readonly aheadBytes?: number;
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

function createReserve({ take, giveUp, probe, aheadBytes = 0 }: ReservePlace): Reserve {
  let written = 0;
  /** The value of `written` up to which the reserve is enough; -1 while no reserve is taken. */
  let enoughFor = -1;
  let taking: Promise<void> | undefined;
  /** The latest work that uses released space. */
  let spending: Promise<unknown> | undefined;

  async function takeNow(bytes: number): Promise<void> {
    try {
      enoughFor = await take(bytes);
    } catch (cause) {
      // Ignore other failures: if the write has the same problem, it reports the problem itself.
      if (isFixpointError(cause, 'STORE_FULL')) throw cause;
      enoughFor = Number.POSITIVE_INFINITY;
    } finally {
      taking = undefined;
    }
  }

  function takeFor(bytes: number): Promise<void> {
    taking ??= takeNow(bytes);
    return taking;
  }

  /**
   * Releases the reserve. Starts counting again, because the smallest reserve is enough to accept
   * writes.
   */
  async function release(): Promise<void> {
    // Space that is being taken would still be taken after the release.
    await taking?.catch(() => undefined);
    [written, enoughFor] = [0, -1];
    await giveUp();
  }

  return {
    probe,
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        // If nothing could be released, the second attempt reports the full disk.
        const again = release().then(work, work);
        spending = again.catch(() => undefined);
        return again;
      }
    },
    keep: async (bytes) => {
      await spending;
      written += bytes;
      while (written > enoughFor) await takeFor(written);
      // If there is no space, the write that needs this reserve reports it.
      if (written > enoughFor - aheadBytes) takeFor(written + aheadBytes).catch(() => undefined);
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
      if (guard?.frees === 'pending') return forPending.spend(write);
      await Promise.all([
        forCompaction.keep(size),
        forDeletes.keep(size),
        // A commit of pending writes is short, however much was written before.
        changes.some(({ isPending }) => isPending) && forPending.keep(0),
      ]);
      return write();
    },
  };
}
