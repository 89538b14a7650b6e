/** Says that a ledger has a new meta. A hint may be lost: rows and cursors are the truth. */
export interface HintBus {
  publish(ledgerId: string): void;
  subscribe(listener: (ledgerId: string) => void): () => void;
}

/** Hints inside of one process. */
export function localBus(): HintBus {
  const listeners = new Set<(ledgerId: string) => void>();
  return {
    publish: (ledgerId) => {
      for (const listener of listeners) listener(ledgerId);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
