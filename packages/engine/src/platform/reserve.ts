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
   * Number of bytes before that value at which space for more is taken while writes continue.
   * Default 0: space is taken only when a write needs it.
   */
  readonly aheadBytes?: number;
  /**
   * Rejects if there is no space to write `bytes` bytes. Only storage where even a rejected write
   * uses space has this method.
   * @throws FixpointError STORE_FULL
   */
  probe?(bytes: number): Promise<void>;
}

interface Reserve {
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
  /**
   * Takes the space that one of the next writes will need. Call this only while all reserves are
   * taken, so that it can't take space that deletes or a compaction need.
   */
  takeAhead(): void;
  readonly probe: ReservePlace['probe'];
}

/** The running work of all reserves of one store. */
interface Activity {
  /** Work that uses released space. While there is any, no reserve takes space. */
  readonly spending: Set<Promise<unknown>>;
  /** Attempts to take space. While there are any, no reserve is released. */
  readonly taking: Set<Promise<unknown>>;
}

function during<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  const done = () => void running.delete(work);
  work.then(done, done);
  return work;
}

function createReserve(place: ReservePlace, { spending, taking }: Activity): Reserve {
  const { giveUp, probe, aheadBytes = 0 } = place;
  let written = 0;
  /** The value of `written` up to which the reserve is enough; -1 while no reserve is taken. */
  let enoughFor = -1;
  /** The last value of `enoughFor` at which space was taken ahead. */
  let aheadAt = -1;
  let take: Promise<void> | undefined;

  async function takeFor(bytes: number): Promise<void> {
    try {
      enoughFor = await place.take(bytes);
    } catch (cause) {
      // Ignore other failures: if the write has the same problem, it reports the problem itself.
      if (isFixpointError(cause, 'STORE_FULL')) throw cause;
      enoughFor = Number.POSITIVE_INFINITY;
    } finally {
      take = undefined;
    }
  }

  function startTake(bytes: number): Promise<void> {
    take = during(taking, takeFor(bytes));
    return take;
  }

  async function again<T>(work: () => Promise<T>): Promise<T> {
    // Space that is being taken would still be taken after the release.
    await Promise.allSettled(taking);
    // Start counting again: a reserve of the smallest size is enough to accept writes again.
    [written, enoughFor] = [0, -1];
    // If nothing could be released, the second attempt reports the full disk.
    return giveUp().then(work, work);
  }

  return {
    probe,
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        return during(spending, again(work));
      }
    },
    keep: async (bytes) => {
      written += bytes;
      while (spending.size > 0 || written > enoughFor)
        if (spending.size > 0) await Promise.allSettled(spending);
        // If there is no space for more, there may be enough for this write.
        else if (take !== undefined) await take.catch(() => undefined);
        else await startTake(written);
    },
    takeAhead: () => {
      const isNeeded = written + aheadBytes > enoughFor && aheadAt !== enoughFor;
      if (!isNeeded || enoughFor < 0 || spending.size > 0 || take !== undefined) return;
      aheadAt = enoughFor;
      // If there is no space, the write that needs it reports that.
      startTake(written + aheadBytes).catch(() => undefined);
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

export function createReserves(placeOf: (kind: keyof Reserves) => ReservePlace): Reserves {
  const activity: Activity = { spending: new Set(), taking: new Set() };
  const reserveFor = (kind: keyof Reserves) => createReserve(placeOf(kind), activity);
  return {
    forDeletes: reserveFor('forDeletes'),
    forCompaction: reserveFor('forCompaction'),
    forPending: reserveFor('forPending'),
  };
}

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
      if (isClosed) return write();
      forCompaction.takeAhead();
      forDeletes.takeAhead();
      return write();
    },
  };
}
