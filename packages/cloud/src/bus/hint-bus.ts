/**
 * Announces that a ledger has new meta entries. Losing a hint is harmless, because followers also
 * check the tables every second.
 */
export interface HintBus {
  publish(ledgerId: string): void;
  subscribe(listener: (ledgerId: string) => void): () => void;
  close(): Promise<void>;
}

export interface Listeners {
  /**
   * @param hint ids of ledgers, separated by spaces. Untrusted, because anyone on the bus can send
   * hints
   */
  tell(hint: string): void;
  subscribe(listener: (ledgerId: string) => void): () => void;
}

export function createListeners(): Listeners {
  const listeners = new Set<(ledgerId: string) => void>();
  return {
    tell: (hint) => {
      for (const ledgerId of new Set(hint.split(' ')))
        if (ledgerId !== '') for (const listener of listeners) listener(ledgerId);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Delivers hints inside one process. */
export function localBus(): HintBus {
  const { tell, subscribe } = createListeners();
  return { publish: tell, subscribe, close: async () => undefined };
}
