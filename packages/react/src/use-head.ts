import type { Database, Head } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import type { Observer } from './observer.ts';
import { useKept } from './use-kept.ts';

/** The head of a database, live: renders again after each change, local or remote. Equal heads are equal content; empty until the database is open. */
export function useHead(database: Database): Head {
  const observer = useKept(() => observeHead(database), [database]);
  return useSyncExternalStore(observer.subscribe, observer.current, observer.current);
}

function observeHead(database: Database): Observer<Head> {
  let last: Head = database.head;
  return {
    subscribe: (listener) => {
      const stop = database.subscribe(listener);
      // A database that cannot be opened says so to those who read from it; its head stays empty.
      database.ready().then(listener, () => undefined);
      return stop;
    },
    current: () => {
      const { head } = database;
      if (head.length !== last.length || head.some((event, at) => event !== last[at])) last = head;
      return last;
    },
  };
}
