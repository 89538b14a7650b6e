import type { Database, Head } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import { listeners, type Observer } from './observer.ts';

/**
 * Returns the live head of a database, and renders again after each local or remote change. Equal
 * heads mean equal content. The head is empty until the database is open.
 */
export function useHead(database: Database): Head {
  const observer = observerOf(database);
  return useSyncExternalStore(observer.subscribe, observer.current, observer.current);
}

/** Components share the observer of a database, so that all of them show the same head. */
const observers = new WeakMap<Database, Observer<Head>>();

function observerOf(database: Database): Observer<Head> {
  const observer = observers.get(database) ?? observeHead(database);
  observers.set(database, observer);
  return observer;
}

const UNKNOWN: Head = [];

function observeHead(database: Database): Observer<Head> {
  let shown = UNKNOWN;
  let session = 0;
  const observed = listeners(() => {
    session += 1;
    const own = session;
    let asked = 0;
    let latest = 0;
    const read = async () => {
      asked += 1;
      const turn = asked;
      const head = await database.head();
      // An answer is late if the answer to a later call has arrived, or nobody listens anymore.
      if (own !== session || turn < latest) return;
      latest = turn;
      if (head.join() === shown.join()) return;
      shown = head;
      observed.tell();
    };
    // If the head can't be read, other reads report the reason, and the head stays as it is.
    const refresh = () => void read().catch(() => undefined);
    const stop = database.subscribe(refresh);
    refresh();
    return () => {
      session += 1;
      shown = UNKNOWN;
      stop();
    };
  });
  return { subscribe: observed.add, current: () => shown };
}
