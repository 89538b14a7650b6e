import { stateText } from '../sync/presence/state-text.ts';
import type { Attached, Presence, PresenceStatus, PresentClient } from '../sync/remote.ts';
import { asError, type LiveStore, listeners } from './live-store.ts';

/** The clients that are in a ledger. */
export interface ShownPresence<T> {
  /** The state of this client; undefined before `update`. */
  readonly me: T | undefined;
  /** The other clients that are present. The array and its items are the same until they change. */
  readonly others: readonly PresentClient<T>[];
  /** Whether others see this client; undefined while nothing is attached. */
  readonly status: PresenceStatus | undefined;
  /** Why presence doesn't work. */
  readonly error: Error | undefined;
  /**
   * Replaces the state of this client. The function never changes. Before the ledger is attached,
   * the state waits.
   * @throws FixpointError REQUEST_INVALID, LIMIT_REACHED when others can't receive the state
   */
  update(state: T): void;
}

/** The live presence of a ledger: see {@link livePresence}. */
export interface LivePresence<T> extends LiveStore<ShownPresence<T>> {
  /** Returns the value before the first listener, for servers. */
  initial(): ShownPresence<T>;
}

const NOBODY: readonly never[] = [];

/**
 * Shows who else is in a ledger while somebody listens, and lets them see the state of this client.
 * Stores of the same `attached` share one state. Shows nobody before the first listener.
 * @param attached the result of `attach`; undefined until the database is attached
 */
export function livePresence<T extends object = Record<string, unknown>>(
  attached: Attached | undefined,
): LivePresence<T> {
  const nobody = { me: undefined, others: NOBODY, status: undefined, error: undefined };
  const initial: ShownPresence<T> = { ...nobody, update };
  let shown = initial;
  /** The latest state of this component, to enter again with when it is mounted again. */
  let wanted: T | undefined;
  let presence: Presence<T> | undefined;
  let map: Presence<T>['others'] | undefined;

  function show(error?: Error): void {
    const next: ShownPresence<T> = {
      me: presence?.me ?? wanted,
      others:
        presence === undefined
          ? NOBODY
          : presence.others === map
            ? shown.others
            : [...presence.others.values()],
      status: presence?.status(),
      error,
      update,
    };
    map = presence?.others;
    const keys = Object.keys(next) as (keyof ShownPresence<T>)[];
    if (keys.every((key) => Object.is(next[key], shown[key]))) return;
    shown = next;
    observed.tell();
  }

  function update(state: T): void {
    if (presence === undefined) stateText(state);
    else presence.set(state);
    wanted = state;
    if (presence === undefined) show();
  }

  /** Enters. Leaves at once if the component was unmounted in the meantime. */
  function start(): () => void {
    let isOver = false;
    let stop: (() => void) | undefined;
    void attached?.presence
      .enter<T>(wanted)
      .then((entered) => {
        if (isOver) return entered.leave();
        presence = entered;
        const unsubscribe = entered.subscribe(() => show());
        void entered.ended.then(() => (isOver ? undefined : show()));
        stop = () => {
          unsubscribe();
          entered.leave();
        };
        show();
        // `update` may have been called while the code of presence was loading.
        if (wanted !== undefined) entered.set(wanted);
      })
      .catch((cause: unknown) => (isOver ? undefined : show(asError(cause))));
    return () => {
      isOver = true;
      presence = undefined;
      stop?.();
      show();
    };
  }

  const observed = listeners(start);
  return {
    subscribe: observed.add,
    current: () => shown,
    initial: () => initial,
    inputs: [attached],
  };
}
