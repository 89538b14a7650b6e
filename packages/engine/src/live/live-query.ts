import type { DatabaseOf, MapOf, UntypedDatabase } from '../collections/typed-database.ts';
import type {
  Database,
  MapFunction,
  QueryOptions,
  QueryRow,
  Stored,
  TypedMap,
} from '../database/database.ts';
import type { Doc } from '../documents/encode.ts';
import { inputText, plainCopy } from './inputs.ts';
import { keepEqualRows } from './keep-equal.ts';
import type { LiveStore } from './live-store.ts';
import { type LoadState, loadedStore } from './loaded-store.ts';

/** `QueryOptions` without `includeDocs`, and the values that the map function captures. */
export interface LiveQueryOptions extends Omit<QueryOptions, 'includeDocs'> {
  /**
   * Values that the map function captures. Two functions count as the same when their texts and
   * these values are equal.
   */
  readonly deps?: readonly unknown[];
}

/** The live rows of a query. */
export interface LiveQuery<T extends object = Doc> extends LoadState {
  readonly rows: readonly QueryRow<T>[];
  readonly docs: readonly Stored<T>[];
}

/**
 * Returns the live rows of a query by a field name, a map function, or `{source}`: the text of a
 * map function, which runs in the sandbox.
 */
export function liveQuery<T extends object>(
  database: DatabaseOf<T>,
  map: MapOf<T>,
  options?: LiveQueryOptions,
  initialRows?: readonly QueryRow<T>[],
): LiveStore<LiveQuery<T>>;
export function liveQuery<T extends object = Doc>(
  database: UntypedDatabase,
  map: string | MapFunction | TypedMap,
  options?: LiveQueryOptions,
  initialRows?: readonly QueryRow<T>[],
): LiveStore<LiveQuery<T>>;
export function liveQuery(
  database: object,
  map: string | MapFunction | TypedMap,
  { deps = [], ...given }: LiveQueryOptions = {},
  initial: readonly QueryRow[] = [],
): LiveStore<LiveQuery> {
  const source = database as Database;
  const options = plainCopy(given);
  return loadedStore<readonly QueryRow[], LiveQuery>({
    source,
    inputs: [source, inputText([typeof map === 'function' ? `${map}` : map, options]), ...deps],
    initial,
    load: () => source.query(map, options).then(({ rows }) => rows),
    keep: keepEqualRows,
    show: (rows, state) => ({
      rows,
      docs: rows.flatMap(({ doc }) => (doc === undefined ? [] : [doc])),
      ...state,
    }),
  });
}
