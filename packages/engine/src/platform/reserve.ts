/**
 * Space that is set aside for a full disk or quota. The reserve is released when a write that frees
 * space fails. The reserve is taken again as soon as there is space. Until then, writes that don't
 * free space are rejected, because they would take the space that deletes and compaction need.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';

/** The storage of a reserve. */
export interface ReservePlace {
  /**
   * Takes the space, unless it is taken already. `written` is the number of bytes that this process
   * wrote to the store. Returns the number of written bytes up to which the space is enough.
   * @throws FixpointError STORE_FULL
   */
  take(written: number): Promise<number>;
  giveUp(): Promise<void>;
  /**
   * Fails when a write of `bytes` bytes would fail. Defined where even a rejected write takes
   * space.
   * @throws FixpointError STORE_FULL
   */
  probe?(bytes: number): Promise<void>;
}

export interface Reserve {
  /**
   * Runs work that needs a little space to free more space, or to read. If the disk is full,
   * releases the reserve and runs the work again.
   */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Prepares for an ordinary write of `bytes` bytes. Call it before each one.
   * @throws FixpointError STORE_FULL while there is no space for the reserve
   */
  keep(bytes: number): Promise<void>;
  readonly probe: ReservePlace['probe'];
}

function createReserve({ take, giveUp, probe }: ReservePlace): Reserve {
  let written = 0;
  /**
   * The number of written bytes for which the taken reserve is enough; less than 0 when none is
   * taken.
   */
  let enoughFor = -1;
  /** The work that uses the space released last. */
  let spending: Promise<unknown> | undefined;
  return {
    probe,
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        // Start counting again: taking the first amount back is enough to continue.
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
        // Ignore other failures: if they matter, the write of a row reports them.
        if (isFixpointError(cause, 'STORE_FULL')) throw cause;
        return Number.POSITIVE_INFINITY;
      });
    },
  };
}

/**
 * Two reserves: deletes use the first one. Compaction also has a second one, in case deletes used
 * up the first.
 */
export interface Reserves {
  readonly forDeletes: Reserve;
  readonly forCompaction: Reserve;
}

export const createReserves = (placeOf: (kind: keyof Reserves) => ReservePlace): Reserves => ({
  forDeletes: createReserve(placeOf('forDeletes')),
  forCompaction: createReserve(placeOf('forCompaction')),
});

/** Wraps a store so that writes which free space still work when the disk is full. */
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
