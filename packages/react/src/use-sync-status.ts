import type { Attached, SyncStatus } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import type { Observer } from './observer.ts';
import { useKept } from './use-kept.ts';

/** Returns the live sync status of an attached database; undefined while it isn't attached. */
export function useSyncStatus(attached: Attached | undefined): SyncStatus | undefined {
  const observer = useKept(() => observeStatus(attached), [attached]);
  return useSyncExternalStore(observer.subscribe, observer.current, observer.current);
}

function observeStatus(attached: Attached | undefined): Observer<SyncStatus | undefined> {
  let last = attached?.status();
  return {
    subscribe: (listener) => attached?.onStatus(() => listener()) ?? (() => undefined),
    current: () => {
      const now = attached?.status();
      if (!isSame(last, now)) last = now;
      return last;
    },
  };
}

const isSame = (a: SyncStatus | undefined, b: SyncStatus | undefined): boolean =>
  a?.state === b?.state &&
  a?.toSend === b?.toSend &&
  a?.toFetch === b?.toFetch &&
  a?.rejected === b?.rejected &&
  a?.error === b?.error;
