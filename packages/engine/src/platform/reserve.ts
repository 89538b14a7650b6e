/**
 * Space that is kept for a full disk or quota: it is given up when something that frees space can't be written, and taken again as soon as there is space.
 * Until then other writes are refused, or they would take what deletes and compaction need.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';

/** Bytes of each reserve: enough for dozens of deletes, or for a compaction that first rewrites the archives with little live data. */
export const RESERVE_BYTES = 196_608;

/** Where a reserve lies. */
export interface ReservePlace {
  /** Takes the space, if it isn't taken. @throws FixpointError STORE_FULL */
  take(): Promise<void>;
  giveUp(): Promise<void>;
}

export interface Reserve {
  /** Does work that needs little space to free more, or to read. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** To be called before other work. @throws FixpointError STORE_FULL while there is no space for the reserve */
  keep(): Promise<void>;
}

function createReserve({ take, giveUp }: ReservePlace): Reserve {
  let isKept = false;
  return {
    spend: async (work) => {
      try {
        return await work();
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        isKept = false;
        await giveUp().catch(() => Promise.reject(cause));
        return work();
      }
    },
    keep: async () => {
      if (isKept) return;
      try {
        await take();
      } catch (cause) {
        // A place that fails otherwise says so when a row is written, or it matters to nobody.
        if (isFixpointError(cause, 'STORE_FULL')) throw new FixpointError('STORE_FULL', undefined, { cause });
      }
      isKept = true;
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
      if (guard?.frees === 'now') return forCompaction.spend(() => forDeletes.spend(write));
      if (guard?.frees === 'later') return forDeletes.spend(write);
      await forDeletes.keep();
      await forCompaction.keep();
      return write();
    },
  };
}
