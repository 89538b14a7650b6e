import { type Database, type DatabaseOptions, fixpoint } from 'fixpoint';

const openByName = new Map<string, Database>();

/** The page's handle of a database: opened by the first component that names it, for the life of the page or until somebody closes it. */
export function databaseNamed(name: string, options: DatabaseOptions): Database {
  const known = openByName.get(name);
  if (known !== undefined) return known;
  const database = fixpoint(name, options);
  openByName.set(name, database);
  const forget = () => {
    if (openByName.get(name) === database) openByName.delete(name);
  };
  database.onClosed(forget);
  // One that could not be opened is tried again by the next component; this one is told by each call.
  database.ready().catch(forget);
  return database;
}
