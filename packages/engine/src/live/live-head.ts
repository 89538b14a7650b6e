import type { Head } from '../clock/event.ts';
import type { Database } from '../database/database.ts';
import { type LiveStore, listeners } from './live-store.ts';

const UNKNOWN: Head = [];
const stores = new WeakMap<Database, LiveStore<Head>>();

/**
 * Returns the live head of a database. Equal heads mean equal content. The head is empty until the
 * database is open. Components share the store of a database, so that all of them show the same
 * head.
 */
export function liveHead(database: Database): LiveStore<Head> {
  const store = stores.get(database) ?? headStore(database);
  stores.set(database, store);
  return store;
}

function headStore(database: Database): LiveStore<Head> {
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
  return { subscribe: observed.add, current: () => shown, inputs: [database] };
}
