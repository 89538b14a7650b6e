import { type Database, type DatabaseOptions, fixpoint } from 'fixpoint';

const openByName = new Map<string, Database>();

/**
 * Returns the page's shared handle of a database. The first component that uses the name opens the
 * database. The handle is kept until the page ends, or until the database is closed.
 */
export function databaseNamed(name: string, options: DatabaseOptions): Database {
  const known = openByName.get(name);
  if (known !== undefined) return known;
  const database = fixpoint(name, options);
  openByName.set(name, database);
  const forget = () => {
    if (openByName.get(name) === database) openByName.delete(name);
  };
  database.onClosed(forget);
  // If opening fails, every call on this handle reports the reason, and the next component opens a
  // new handle.
  database.ready().catch(forget);
  return database;
}
