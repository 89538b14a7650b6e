import { type Collections, type Database, type DatabaseOptions, FixpointError, fixpoint } from 'fixpoint';

interface Opened {
  readonly database: Database;
  readonly collections: Collections;
}

const openByName = new Map<string, readonly Opened[]>();

/**
 * Returns the page's shared handle of a database with these collections. The first component that
 * uses the name opens the database; other collections need another handle of it. A handle is kept
 * until the page ends, or until it is closed.
 *
 * On a server, effects don't run, so nothing would load. Without a folder, a server opens nothing.
 */
export function databaseNamed(name: string, options: DatabaseOptions, collections: Collections): Database {
  if (typeof window === 'undefined' && options.directory === undefined) return unopened(name, collections);
  const place = JSON.stringify([name, options.storage, options.directory]);
  const known = openByName.get(place)?.find((one) => isSame(one.collections, collections));
  if (known !== undefined) return known.database;
  const database = fixpoint(name, { ...options, collections } as object) as Database;
  const opened: Opened = { database, collections };
  openByName.set(place, [...(openByName.get(place) ?? []), opened]);
  const forget = () => {
    const others = (openByName.get(place) ?? []).filter((one) => one !== opened);
    if (others.length > 0) openByName.set(place, others);
    else openByName.delete(place);
  };
  database.onClosed(forget);
  // If opening fails, every call on this handle reports the reason, and the next component opens a
  // new handle.
  database.ready().catch(forget);
  return database;
}

const isSame = (a: Collections, b: Collections): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => a[key] === b[key]);

/** Returns a handle that never changes. Its calls reject, because nothing would be stored. */
export function unopened(name: string, collections: Collections): Database {
  const refuse = () =>
    Promise.reject(
      new FixpointError('CONFIG_INVALID', `server rendering opens ${name} only with a directory`),
    );
  const never = () => () => undefined;
  const own: Record<string, unknown> = { name, subscribe: never, onClosed: never, onConflicts: never };
  const handle = new Proxy(own, {
    get: (_, key) => own[key as string] ?? (typeof key === 'symbol' || key === 'then' ? undefined : refuse),
  });
  for (const [key, definition] of Object.entries(collections))
    own[key] = definition.open(handle as unknown as Database);
  return handle as unknown as Database;
}
