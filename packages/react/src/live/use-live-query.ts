import type {
  DatabaseOf,
  Doc,
  MapFunction,
  MapOf,
  QueryOptions,
  QueryRow,
  Stored,
  TypedMap,
  UntypedDatabase,
} from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded, type Readable } from './observe-loaded.ts';

/** `QueryOptions` without `includeDocs`, and the values that the map function captures. */
export interface LiveQueryOptions extends Omit<QueryOptions, 'includeDocs'> {
  /**
   * Values that the map function captures. Two functions count as the same when their texts and
   * these values are equal.
   */
  readonly deps?: readonly unknown[];
}

/** Result of `useLiveQuery`. */
export interface LiveQuery<T extends object = Doc> {
  readonly rows: readonly QueryRow<T>[];
  readonly docs: readonly Stored<T>[];
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the rows are the previous rows. */
  readonly error: Error | undefined;
}

const NO_ROWS: readonly never[] = [];
const NO_DEPS: readonly unknown[] = [];

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
export function useLiveQuery<T extends object>(
  database: Readable<'query'>,
  map: string | MapFunction | TypedMap,
  { deps = NO_DEPS, ...options }: LiveQueryOptions = {},
  initialRows: readonly QueryRow<T>[] = NO_ROWS,
): LiveQuery<T> {
  const identity = inputText([typeof map === 'function' ? `${map}` : map, options]);
  const observer = useKept(() => {
    const load = () => database.query<T>(map, options).then(({ rows }) => rows);
    return observeLoaded(database, load, initialRows, keepEqualRows);
  }, [database, identity, ...deps]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value: rows, hydrated, error } = loaded;
    return { rows, docs: rows.flatMap(({ doc }) => (doc === undefined ? [] : [doc])), hydrated, error };
  }, [loaded]);
}
