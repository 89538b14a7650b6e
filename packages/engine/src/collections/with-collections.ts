/** Opens databases with collections. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database, DatabaseOptions } from '../database/database.ts';
import type { Collections, TransactionWith } from './collection-types.ts';

/** @throws FixpointError CONFIG_INVALID, and as `fixpoint` */
export function openWithCollections<O extends DatabaseOptions>(
  open: (options: O) => Database,
  options: O,
  collections: Collections,
): Database {
  const database = open(withIndexesOf(options, collections));
  try {
    return withCollections(database, collections);
  } catch (cause) {
    database.close().catch(() => undefined);
    throw cause;
  }
}

function withIndexesOf<O extends DatabaseOptions>(options: O, collections: Collections): O {
  const own = Object.values(collections).flatMap(({ indexes }) => indexes);
  const { indexes = [] } = options;
  if (own.length === 0) return options;
  if (indexes === 'stored')
    throw new FixpointError('CONFIG_INVALID', 'indexes is `stored`, beside collections');
  return { ...options, indexes: [...indexes, ...own] };
}

/**
 * Adds the collections to the handle.
 * @throws FixpointError CONFIG_INVALID for a name that is taken
 */
function withCollections(database: Database, collections: Collections): Database {
  const names = new Set<string>();
  for (const [key, definition] of Object.entries(collections)) {
    if (key in database || key === 'database')
      throw new FixpointError('CONFIG_INVALID', `the collection ${key} has the name of a call`);
    if (names.has(definition.name))
      throw new FixpointError('CONFIG_INVALID', `two collections have the name ${definition.name}`);
    names.add(definition.name);
  }
  const { transact } = database;
  const opened = Object.entries(collections).map(([key, definition]) => [key, definition.open(database)]);
  const transactWith = <R>(work: (transaction: TransactionWith<Collections>) => Promise<R> | R): Promise<R> =>
    transact(async (transaction) => {
      if (typeof work !== 'function') throw new FixpointError('DOC_INVALID', 'transact takes a function');
      const begun: Promise<unknown>[] = [];
      let isOver = false;
      const waits = (one: Promise<unknown>) => {
        // A write after the end fails, and nobody else reports that.
        if (isOver) return;
        // Awaited below; until then, a failure must not count as unhandled.
        one.catch(() => undefined);
        begun.push(one);
      };
      const inside = Object.entries(collections).map(([key, definition]) => [
        key,
        definition.within(database, transaction, waits),
      ]);
      try {
        const result = await work({ ...transaction, ...Object.fromEntries(inside) });
        for (const one of begun) await one;
        return result;
      } finally {
        isOver = true;
      }
    });
  // The collections use the handle, so it stays the same object.
  return Object.assign(database, Object.fromEntries(opened), { transact: transactWith });
}
