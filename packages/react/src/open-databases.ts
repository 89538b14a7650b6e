import { type Collections, type Database, type DatabaseOptions, fixpoint } from 'fixpoint';

interface Opened {
  readonly database: Database;
  readonly collections: Collections;
}

const openByName = new Map<string, readonly Opened[]>();

/**
 * Returns the page's shared handle of a database with these collections. The first component that
 * uses the name opens the database; other collections need another handle of it. A handle is kept
 * until the page ends, or until it is closed.
 */
export function databaseNamed(name: string, options: DatabaseOptions, collections: Collections): Database {
  const known = openByName.get(name)?.find((one) => isSame(one.collections, collections));
  if (known !== undefined) return known.database;
  const database = fixpoint(name, { ...options, collections }) as Database;
  const opened: Opened = { database, collections };
  openByName.set(name, [...(openByName.get(name) ?? []), opened]);
  const forget = () => {
    const others = (openByName.get(name) ?? []).filter((one) => one !== opened);
    if (others.length > 0) openByName.set(name, others);
    else openByName.delete(name);
  };
  database.onClosed(forget);
  // If opening fails, every call on this handle reports the reason, and the next component opens a
  // new handle.
  database.ready().catch(forget);
  return database;
}

const isSame = (a: Collections, b: Collections): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => a[key] === b[key]);
