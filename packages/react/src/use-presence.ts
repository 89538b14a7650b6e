import type { Attached, Presence, PresenceStatus, PresentClient } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { asError, listeners, type Observer } from './observer.ts';
import { useKept } from './use-kept.ts';

/** Result of `usePresence`. */
export interface UsedPresence<T> {
  /** The state of this client; undefined before `update`. */
  readonly me: T | undefined;
  /** The other clients that are present. The array and its items are the same until they change. */
  readonly others: readonly PresentClient<T>[];
  /** Whether others see this client; undefined while nothing is attached. */
  readonly status: PresenceStatus | undefined;
  /** Why presence doesn't work, such as in a worker. */
  readonly error: Error | undefined;
  /**
   * Replaces the state of this client. The function is the same in each render. Before the ledger
   * is attached, the state waits.
   * @throws FixpointError REQUEST_INVALID, LIMIT_REACHED when others can't receive the state
   */
  update(state: T): void;
}

type Shown<T> = Omit<UsedPresence<T>, 'update'>;
interface PresenceObserver<T> extends Observer<Shown<T>> {
  update(state: T): void;
}

const NOBODY: readonly never[] = [];

/**
 * Shows who else is in a ledger, and lets them see the state of this client, while the component is
 * mounted. Hooks with the same `attached` share one state. Renders nobody on a server.
 * @param attached the result of `attach`; undefined until the database is attached
 */
export function usePresence<T extends object = Record<string, unknown>>(
  attached: Attached | undefined,
): UsedPresence<T> {
  const observer = useKept(() => observePresence<T>(attached), [attached]);
  const shown = useSyncExternalStore(observer.subscribe, observer.current, observer.initial);
  return useMemo(() => ({ ...shown, update: observer.update }), [shown, observer]);
}

function observePresence<T extends object>(attached: Attached | undefined) {
  const initial: Shown<T> = { me: undefined, others: NOBODY, status: undefined, error: undefined };
  let shown = initial;
  /** The latest state of this component, to enter again with when it is mounted again. */
  let wanted: T | undefined;
  let presence: Presence<T> | undefined;
  let map: Presence<T>['others'] | undefined;

  function show(error?: Error): void {
    const next: Shown<T> = {
      me: presence?.me ?? wanted,
      others: presence === undefined ? NOBODY : presence.others === map ? shown.others : [...presence.others.values()],
      status: presence?.status(),
      error,
    };
    map = presence?.others;
    const keys = Object.keys(next) as (keyof Shown<T>)[];
    if (keys.every((key) => Object.is(next[key], shown[key]))) return;
    shown = next;
    observed.tell();
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
        // `update` may have been called while the code of presence was loading.
        if (wanted !== undefined) entered.set(wanted);
        const unsubscribe = entered.subscribe(() => show());
        stop = () => {
          unsubscribe();
          entered.leave();
        };
        show();
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
    update: (state: T) => {
      if (presence !== undefined) presence.set(state);
      wanted = state;
      if (presence === undefined) show();
    },
  } satisfies PresenceObserver<T> & { initial: () => Shown<T> };
}
