import type {
  Database,
  DatabaseOf,
  Doc,
  MapFunction,
  MapOf,
  QueryRow,
  TypedMap,
  UntypedDatabase,
} from 'fixpoint';
import { type LiveQuery, type LiveQueryOptions, liveQuery } from 'fixpoint/live';
import { useStore } from '../use-store.ts';

/**
 * Returns the live rows of a query by a field name, a map function, or `{source}`: the text of a
 * map function, which runs in the sandbox.
 */
export function useLiveQuery<T extends object>(
  database: DatabaseOf<T>,
  map: MapOf<T>,
  options?: LiveQueryOptions,
  initialRows?: readonly QueryRow<T>[],
): LiveQuery<T>;
export function useLiveQuery<T extends object = Doc>(
  database: UntypedDatabase,
  map: string | MapFunction | TypedMap,
  options?: LiveQueryOptions,
  initialRows?: readonly QueryRow<T>[],
): LiveQuery<T>;
export function useLiveQuery(
  database: object,
  map: string | MapFunction | TypedMap,
  options?: LiveQueryOptions,
  initialRows?: readonly QueryRow[],
): LiveQuery {
  return useStore(liveQuery(database as Database, map, options, initialRows));
}
