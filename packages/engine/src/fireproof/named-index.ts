import { FixpointError } from '@fixpoint/protocol';
import { type FireproofDatabase, isDatabase } from './database.ts';
import type { DocFragment, DocTypes, IndexKeyType, MapFn, QueryOpts, QueryResult } from './existing-types.ts';

/** An index that an application defined under a name. */
export interface Index<T extends DocTypes, K extends IndexKeyType = string, R extends DocFragment = T> {
  readonly name: string;
  /** Undefined for an index of the field that has the name of the index. */
  readonly mapFn: MapFn<T> | undefined;
  /** Works like `ready` of the database. */
  ready(): Promise<void>;
  /** Works like `query` of the database. */
  query<O extends Partial<QueryOpts<K>> = Partial<QueryOpts<K>>>(
    options?: O,
  ): Promise<QueryResult<T, K, R, O>>;
}

interface Named extends Index<DocTypes, IndexKeyType, DocFragment> {
  mapFn: MapFn<DocTypes> | undefined;
}

const indexes = new WeakMap<FireproofDatabase, Map<string, Named>>();

/**
 * Returns the index of a database with this name. Without a map function, it's the index that was
 * defined under this name, or else the index of the field with this name. Defining an index again
 * with another map function changes the index.
 * @throws FixpointError REQUEST_INVALID
 */
export function index<
  T extends DocTypes = DocTypes,
  K extends IndexKeyType = string,
  R extends DocFragment = T,
>(database: FireproofDatabase, name: string, mapFn?: MapFn<T>): Index<T, K, R> {
  if (!isDatabase(database)) throw new FixpointError('REQUEST_INVALID', 'index: not a database');
  if (typeof name !== 'string') throw new FixpointError('REQUEST_INVALID', 'index: the name is not a string');
  if (mapFn !== undefined && typeof mapFn !== 'function')
    throw new FixpointError('REQUEST_INVALID', 'index: mapFn is not a function');
  const named = indexes.get(database) ?? new Map<string, Named>();
  indexes.set(database, named);
  const known = named.get(name) ?? newIndex(database, name);
  named.set(name, known);
  if (mapFn !== undefined) known.mapFn = mapFn as MapFn<DocTypes>;
  return known as object as Index<T, K, R>;
}

function newIndex(database: FireproofDatabase, name: string): Named {
  const created: Named = {
    name,
    mapFn: undefined,
    ready: () => database.ready(),
    query: (options) => database.query(created.mapFn ?? name, options) as Promise<never>,
  };
  return created;
}
