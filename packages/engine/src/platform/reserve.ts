/**
 * Space that is kept for a full disk or quota: it is given up when something that frees space can't
 * be written, and taken again as soon as there is space. Until then other writes are refused, or
 * they would take what deletes and compaction need.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';

/** Where a reserve lies. */
export interface ReservePlace {
  /**
   * Takes the space, if it isn't taken, for a store to which this process wrote so many bytes.
   * Returns up to how many bytes it is enough.
   * @throws FixpointError STORE_FULL
   */
  take(written: number): Promise<number>;
  giveUp(): Promise<void>;
  /**
   * Fails when a write of so many bytes would, where even a refused write takes space.
   * @throws FixpointError STORE_FULL
   */
  probe?(bytes: number): Promise<void>;
}

export interface Reserve {
  /** Does work that needs little space to free more, or to read. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /**
   * To be called before another write of so many bytes.
   * @throws FixpointError STORE_FULL while there is no space for the reserve
   */
  keep(bytes: number): Promise<void>;
  readonly probe: ReservePlace['probe'];
}

function createReserve({ take, giveUp, probe }: ReservePlace): Reserve {
  let written = 0;
  /**
   * Up to how many written bytes the reserve that is taken is enough; less than 0 when none is
   * taken.
   */
  let enoughFor = -1;
  /** The work that has the space which was given up last. */
  let spending: Promise<unknown> | undefined;
  return {
    probe,
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        // What was given up is space again: as much of it as was taken first is enough to go on.
        [written, enoughFor] = [0, -1];
        // When nothing could be given up, the second attempt says so.
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
        // A place that fails otherwise says so when a row is written, or it matters to nobody.
        if (isFixpointError(cause, 'STORE_FULL')) throw cause;
        return Number.POSITIVE_INFINITY;
      });
    },
  };
}

/** What is kept for deletes, and what is left for compaction when they have used that up. */
export interface Reserves {
  readonly forDeletes: Reserve;
  readonly forCompaction: Reserve;
}

export const createReserves = (placeOf: (kind: keyof Reserves) => ReservePlace): Reserves => ({
  forDeletes: createReserve(placeOf('forDeletes')),
  forCompaction: createReserve(placeOf('forCompaction')),
});

/** The store, with writes that free space going on when the disk is full. */
export function withReserve(store: ByteStore, { forDeletes, forCompaction }: Reserves): ByteStore {
  return {
    ...store,
    write: async (changes, guard) => {
      const write = () => store.write(changes, guard);
      let size = 0;
      for (const { bytes } of changes) size += bytes?.length ?? 0;
      if (guard?.frees === 'now') {
        const probed = async () => {
          await forCompaction.probe?.(size);
          return write();
        };
        return forCompaction.spend(() => forDeletes.spend(probed));
      }
      if (guard?.frees === 'later') return forDeletes.spend(write);
      await forCompaction.keep(size);
      await forDeletes.keep(size);
      return write();
    },
  };
}
