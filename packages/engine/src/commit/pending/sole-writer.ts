/**
 * Tracks whether other writers may have the store open. In stores where each writer has its own
 * rows, others see pending writes only after a commit. So while there is another writer, writes are
 * committed directly.
 */
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';

/** Time after a hint of another writer until the store is asked again. */
const ASK_AFTER_MS = 1000;

export interface SoleWriter {
  /** Returns whether other writers may have the store open. */
  isShared(): boolean;
  /** Records a hint of another writer. */
  noticed(): void;
  /** Asks the store. Call it once, at the start. */
  ask(): Promise<void>;
}

export function createSoleWriter(store: Pick<ByteStore, 'isAlone'>, time: Time): SoleWriter {
  let shared = store.isAlone !== undefined;
  let askAtMs = 0;
  let asking = false;

  async function ask(): Promise<void> {
    if (store.isAlone === undefined) return;
    asking = true;
    try {
      shared = !(await store.isAlone());
    } finally {
      asking = false;
      askAtMs = time.now() + ASK_AFTER_MS;
    }
  }

  return {
    ask,
    noticed: () => {
      if (store.isAlone === undefined) return;
      shared = true;
      askAtMs = time.now() + ASK_AFTER_MS;
    },
    isShared: () => {
      // If the store can't answer, assume that there are other writers.
      if (shared && !asking && time.now() >= askAtMs) void ask().catch(() => undefined);
      return shared;
    },
  };
}
