/** The end of the page that a worker serves. A frozen page hasn't ended. */
import { FixpointError } from '@fixpoint/protocol';

export interface PageEnd {
  end(): void;
  /** Waits for work of the page. Rejects with DATABASE_CLOSED if the page ends first. */
  before<R>(work: () => Promise<R>): Promise<R>;
  /**
   * Calls `fn` when the page ends; at once if it has ended. Returns a function that forgets `fn`,
   * so that a page that lives long doesn't collect functions.
   */
  onEnd(fn: () => void): () => void;
}

export function createPageEnd(): PageEnd {
  const waiting = new Set<(cause: FixpointError) => void>();
  const listeners = new Set<() => void>();
  let ended: FixpointError | undefined;
  return {
    onEnd: (fn) => {
      if (ended === undefined) listeners.add(fn);
      else fn();
      return () => void listeners.delete(fn);
    },
    end: () => {
      ended = new FixpointError('DATABASE_CLOSED', 'the page has ended');
      for (const reject of waiting) reject(ended);
      for (const tell of listeners) tell();
    },
    before: async (work) => {
      if (ended !== undefined) throw ended;
      let own: (cause: FixpointError) => void = () => undefined;
      try {
        return await new Promise((resolve, reject) => {
          own = reject;
          waiting.add(own);
          work().then(resolve, reject);
        });
      } finally {
        waiting.delete(own);
      }
    },
  };
}
