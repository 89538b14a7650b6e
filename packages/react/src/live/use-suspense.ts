/** Variants of the live hooks that suspend until the first result has loaded. */
import type {
  AllDocsOptions,
  Collection,
  CollectionFindOptions,
  Database,
  DatabaseOf,
  Doc,
  FindOptions,
  MapFunction,
  MapOf,
  NoReferences,
  OnlyReferences,
  TypedFindOptions,
  TypedMap,
  UntypedDatabase,
  With,
  WithReferences,
} from 'fixpoint';
import {
  type LiveCollectionFind,
  type LiveDocs,
  type LiveFind,
  type LiveQuery,
  type LiveQueryOptions,
  type LiveStore,
  type LoadState,
  liveAllDocs,
  liveFind,
  liveQuery,
  sameStore,
} from 'fixpoint/live';
import { useStore } from '../use-store.ts';

/** A store that loads while its component waits. React discards the state of such a component. */
interface Waiting {
  readonly store: LiveStore<LoadState>;
  readonly loaded: Promise<void>;
}

/** Stores by their database. */
const waiting = new WeakMap<object, Set<Waiting>>();
/** How long a loaded store is kept for its component. A discarded component never takes it. */
const KEPT_MS = 5000;

/**
 * Returns the value of a store, and suspends until it has loaded. A server can't load it, so the
 * nearest `Suspense` shows its fallback there.
 * @throws the error of a load, for the nearest error boundary
 */
function useLoaded<T extends LoadState>(next: LiveStore<T>): T {
  const all = waiting.get(next.inputs[0] as object) ?? new Set();
  const known = [...all].find(({ store }) => sameStore<LiveStore<unknown>>(store, next) === store);
  const value = useStore((known?.store ?? next) as LiveStore<T>);
  if (!value.hydrated) {
    if (typeof window === 'undefined') throw new Error('a server loads no documents');
    throw (known ?? wait(next, all)).loaded;
  }
  if (value.error !== undefined) throw value.error;
  return value;
}

function wait(store: LiveStore<LoadState>, all: Set<Waiting>): Waiting {
  waiting.set(store.inputs[0] as object, all);
  let isLoaded = false;
  const loaded = new Promise<void>((resolve) => {
    const stop = store.subscribe(() => {
      if (isLoaded || !store.current().hydrated) return;
      isLoaded = true;
      resolve();
      setTimeout(() => {
        stop();
        all.delete(made);
      }, KEPT_MS);
    });
  });
  const made: Waiting = { store, loaded };
  all.add(made);
  return made;
}

/**
 * `useFind` that suspends until the documents have loaded. Errors go to the nearest error boundary.
 */
export function useSuspenseFind<
  In extends object,
  Out extends object,
  R,
  const W extends With<R> = NoReferences,
>(
  collection: Collection<In, Out, R>,
  options?: CollectionFindOptions<Out> & { readonly with?: (W & OnlyReferences<W, R>) | undefined },
): LiveCollectionFind<WithReferences<Out, R, W>>;
export function useSuspenseFind<T extends object>(
  database: DatabaseOf<T>,
  options?: TypedFindOptions<T>,
): LiveFind<T>;
export function useSuspenseFind<T extends object = Doc>(
  database: UntypedDatabase,
  options?: FindOptions,
): LiveFind<T>;
export function useSuspenseFind(source: object, options?: object): LiveFind {
  return useLoaded(liveFind(source as Database, options));
}

/**
 * `useLiveQuery` that suspends until the rows have loaded. Errors go to the nearest error boundary.
 */
export function useSuspenseLiveQuery<T extends object>(
  database: DatabaseOf<T>,
  map: MapOf<T>,
  options?: LiveQueryOptions,
): LiveQuery<T>;
export function useSuspenseLiveQuery<T extends object = Doc>(
  database: UntypedDatabase,
  map: string | MapFunction | TypedMap,
  options?: LiveQueryOptions,
): LiveQuery<T>;
export function useSuspenseLiveQuery(
  database: object,
  map: string | MapFunction | TypedMap,
  options?: LiveQueryOptions,
): LiveQuery {
  return useLoaded(liveQuery(database as Database, map, options));
}

/**
 * `useAllDocs` that suspends until the documents have loaded. Errors go to the nearest error
 * boundary.
 */
export function useSuspenseAllDocs<T extends object>(
  database: DatabaseOf<T>,
  options?: AllDocsOptions,
): LiveDocs<T>;
export function useSuspenseAllDocs<T extends object = Doc>(
  database: UntypedDatabase,
  options?: AllDocsOptions,
): LiveDocs<T>;
export function useSuspenseAllDocs(database: object, options?: AllDocsOptions): LiveDocs {
  return useLoaded(liveAllDocs(database as Database, options));
}
