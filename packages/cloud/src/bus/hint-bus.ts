/**
 * Announces that a ledger has new meta entries. Losing a hint is harmless, because followers also
 * check the tables every second.
 */
export interface HintBus {
  publish(ledgerId: string): void;
  subscribe(listener: (ledgerId: string) => void): () => void;
  /** Carries presence between processes; undefined when there is only this process. */
  readonly states?: StateChannel;
  close(): Promise<void>;
}

/**
 * Carries short texts about presence to all processes, perhaps including the sender. Texts may be
 * lost or late, and anyone on the bus can send them. Hints of new data go first.
 */
export interface StateChannel {
  /** Sends a text of at most 7,800 ASCII characters. Drops it when too many texts wait. */
  send(text: string): void;
  listen(listener: (text: string) => void): () => void;
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

/** Returns a set of listeners for texts about presence. */
export function createStateListeners(report: (error: unknown) => void) {
  const listeners = new Set<(text: string) => void>();
  return {
    tell: (text: string) => {
      for (const listener of listeners)
        try {
          listener(text);
        } catch (cause) {
          // One text must not end the connection that carries all hints.
          report(cause);
        }
    },
    listen: (listener: (text: string) => void) => {
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
