import type { Database, Head } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import type { Observer } from './observer.ts';
import { useKept } from './use-kept.ts';

/**
 * Returns the live head of a database, and renders again after each local or remote change. Equal
 * heads mean equal content. The head is empty until the database is open.
 */
export function useHead(database: Database): Head {
  const observer = useKept(() => observeHead(database), [database]);
  return useSyncExternalStore(observer.subscribe, observer.current, observer.current);
}

function observeHead(database: Database): Observer<Head> {
  let last: Head = database.head;
  return {
    subscribe: (listener) => {
      const stop = database.subscribe(listener);
      // If the database can't be opened, reads report the reason, and the head stays empty.
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
