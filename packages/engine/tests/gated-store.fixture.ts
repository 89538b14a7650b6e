/**
 * Stores whose calls wait until a schedule runs them, one at a time. A schedule can produce every
 * possible order of calls.
 */
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';

export interface Gate {
  /**
   * Returns a store over shared values, as one tab or process sees it.
   * @param isInOrder whether the calls of this store run in the order in which they begin, as the
   * contract says; by default in any order
   */
  store(values: Map<string, Uint8Array>, isInOrder?: boolean): ByteStore & { kill(): void };
  /** Waits until the schedule has run `count` calls. */
  turns(count: number): Promise<void>;
  /** Runs waiting calls in the order of the schedule until no call waits and all work is done. */
  run(work: readonly Promise<unknown>[]): Promise<void>;
}

/** Runs all work that doesn't wait for a store. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export function gate(choose: (count: number) => number): Gate {
  const waiting: (() => void)[] = [];
  let isOpen = true;

  function store(values: Map<string, Uint8Array>, isInOrder = false) {
    const inner = memoryStore(values);
    let alive = true;
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = async () => {
      if (!isOpen) await new Promise<void>((resolve) => void waiting.push(resolve));
    };
    const turn = async <T>(work: () => Promise<T>): Promise<T> => {
      last = isInOrder ? last.then(inTurn) : inTurn();
      await last;
      return alive ? work() : new Promise<never>(() => undefined);
    };
    return {
      read: (key: string) => turn(() => inner.read(key)),
      readPrefix: (prefix: string) => turn(() => inner.readPrefix(prefix)),
      keys: (prefix: string) => turn(() => inner.keys(prefix)),
      write: (...args: Parameters<ByteStore['write']>) => turn(() => inner.write(...args)),
      close: async () => undefined,
      destroy: async () => undefined,
      kill: () => {
        alive = false;
      },
    };
  }

  return {
    store,
    turns: async (count) => {
      for (let turn = 0; turn < count; turn++)
        await new Promise<void>((resolve) => void waiting.push(resolve));
    },
    run: async (work) => {
      isOpen = false;
      let done = false;
      const all = Promise.all(work).finally(() => {
        done = true;
      });
      // Avoids an unhandled rejection. The last line of `run` reports a failure.
      all.catch(() => undefined);
      await settle();
      for (let idle = 0; !done && idle < 20; ) {
        const [next] = waiting.splice(choose(waiting.length), 1);
        if (next === undefined) idle++;
        else idle = 0;
        next?.();
        await settle();
      }
      isOpen = true;
      for (const next of waiting.splice(0)) next();
      await all;
    },
  };
}
