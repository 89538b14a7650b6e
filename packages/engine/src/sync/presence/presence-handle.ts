/** The objects that `enter` returns. Those of one attachment share its place in the ledger. */
import { FixpointError } from '@fixpoint/protocol';
import type { Presence, PresenceStatus } from '../remote.ts';
import type { Others } from './others.ts';
import { stateText } from './state-text.ts';

/** The shared place, which changes. */
export interface HandleState {
  /** Functions that each end one handle. */
  readonly handles: Set<() => void>;
  readonly listeners: Set<() => void>;
  readonly others: Pick<Others, 'all'>;
  readonly me: object | undefined;
  /** The JSON text of `me`. */
  readonly text: string | undefined;
  readonly status: PresenceStatus;
}

export interface HandleCalls {
  set(me: object, text: string): void;
  /** Called when the last handle has left. */
  end(): void;
}

const NOBODY: Presence['others'] = new Map();

export function presenceHandle<T extends object>(state: HandleState, calls: HandleCalls): Presence<T> {
  let hasLeft = false;
  let resolve: () => void = () => undefined;
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  const own = new Set<() => void>();
  const finish = () => {
    hasLeft = true;
    for (const listener of own) state.listeners.delete(listener);
    state.handles.delete(finish);
    resolve();
  };
  state.handles.add(finish);
  return {
    get me() {
      return hasLeft ? undefined : (state.me as T | undefined);
    },
    get others() {
      return (hasLeft ? NOBODY : state.others.all()) as Presence<T>['others'];
    },
    status: () => state.status,
    set: (me) => {
      if (hasLeft) throw new FixpointError('CONNECTION_NOT_OPEN');
      const text = stateText(me);
      if (text !== state.text) calls.set(me, text);
    },
    subscribe: (fn) => {
      const listener = () => fn();
      if (hasLeft) return () => undefined;
      own.add(listener);
      state.listeners.add(listener);
      return () => {
        own.delete(listener);
        state.listeners.delete(listener);
      };
    },
    leave: () => {
      if (hasLeft) return;
      finish();
      if (state.handles.size === 0) calls.end();
    },
    ended,
  };
}
