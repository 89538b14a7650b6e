import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';

export interface HeadChange {
  readonly before: Head;
  readonly after: Head;
  /** Documents that were written; a superset after a merge. */
  readonly ids: readonly string[];
  readonly origin: 'local' | 'remote' | 'elsewhere';
}

export interface Feed {
  subscribe(listener: (change: HeadChange) => void): () => void;
  emit(change: HeadChange): void;
}

/**
 * Notifies all listeners of a change. A listener that throws is reported and doesn't affect the
 * others.
 */
export function createFeed(report: (error: unknown) => void): Feed {
  const listeners = new Set<(change: HeadChange) => void>();
  return {
    subscribe: (listener) => {
      const own = (change: HeadChange) => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit: (change) => {
      for (const listener of [...listeners]) {
        try {
          listener(change);
        } catch (cause) {
          report(new FixpointError('SUBSCRIBER', undefined, { cause }));
        }
      }
    },
  };
}
