/** Svelte stores over the live stores of `fixpoint/live`. */
import type * as fp from 'fixpoint';
import * as live from 'fixpoint/live';
import { createSubscriber } from 'svelte/reactivity';

/** A live value: `current` for runes, or `$` as a store. */
export interface Live<T> {
  /** The value. Templates, `$derived` and `$effect` follow it. */
  readonly current: T;
  /** Calls `run` with the value now and after each change: the contract of a Svelte store. */
  subscribe(run: (value: T) => void): () => void;
}
/** A value, or a function that returns it. `current` follows the runes that the function reads. */
export type Given<T> = T | (() => T);
type AnyMap = string | fp.MapFunction | fp.TypedMap;

/**
 * Returns the live value of a store of `fixpoint/live`. `make` runs for each read of `current`; a
 * store with equal inputs is kept. Loading starts when a component reads the value, and stops with
 * the last component. A server renders a value that hasn't loaded.
 */
export function useLive<T>(make: () => live.LiveStore<T>): Live<T> {
  let store: live.LiveStore<T> | undefined;
  let follow = (): void => undefined;
  const kept = () => {
    const next = live.sameStore(store, make());
    if (next !== store) follow = createSubscriber(next.subscribe);
    store = next;
    return next;
  };
  return {
    get current() {
      const { current } = kept();
      follow();
      return current();
    },
    subscribe: (run) => {
      const { subscribe, current } = kept();
      run(current());
      return typeof window === 'undefined' ? () => undefined : subscribe(() => run(current()));
    },
  };
}

const read = <T>(given: Given<T>): T => (typeof given === 'function' ? (given as () => T)() : given);

/**
 * Returns a live draft of a document. With an `_id`, it follows the stored document while there are
 * no local edits. `save` and `submit` store it.
 */
export function useDocument<In extends object, Out extends object, R>(
  collection: Given<fp.Collection<In, Out, R>>,
  initial: Given<live.DraftOf<NoInfer<live.WithFiles<Out>>>>,
): Live<live.LiveDocument<live.WithFiles<Out>>>;
export function useDocument<T extends object>(
  database: Given<fp.DatabaseOf<T>>,
  initial: Given<live.DraftOf<NoInfer<T>>>,
): Live<live.LiveDocument<T>>;
export function useDocument<T extends object = fp.Doc>(
  database: Given<fp.UntypedDatabase>,
  initial: Given<live.DraftOf<T>>,
): Live<live.LiveDocument<T>>;
export function useDocument(source: Given<object>, initial: Given<fp.Doc>) {
  return useLive(() => live.liveDocument(read(source) as fp.Database, read(initial)));
}

/**
 * Returns the live rows of a query by a field name, a map function, or `{source}`: the text of a
 * map function, which runs in the sandbox. `deps` are the values that a map function captures.
 */
export function useLiveQuery<T extends object>(
  database: Given<fp.DatabaseOf<T>>,
  map: fp.MapOf<T>,
  options?: Given<live.LiveQueryOptions>,
): Live<live.LiveQuery<T>>;
export function useLiveQuery<T extends object = fp.Doc>(
  database: Given<fp.UntypedDatabase>,
  map: AnyMap,
  options?: Given<live.LiveQueryOptions>,
): Live<live.LiveQuery<T>>;
export function useLiveQuery(source: Given<object>, map: AnyMap, options?: Given<live.LiveQueryOptions>) {
  return useLive(() => live.liveQuery(read(source) as fp.Database, map, read(options)));
}

/** Returns the live documents that match. Unchanged documents stay the same objects. */
export function useFind<
  In extends object,
  Out extends object,
  R,
  const W extends fp.With<R> = fp.NoReferences,
>(
  collection: Given<fp.Collection<In, Out, R>>,
  options?: Given<
    fp.CollectionFindOptions<Out> & { readonly with?: (W & fp.OnlyReferences<W, R>) | undefined }
  >,
): Live<live.LiveCollectionFind<fp.WithReferences<Out, R, W>>>;
export function useFind<T extends object>(
  database: Given<fp.DatabaseOf<T>>,
  options?: Given<fp.TypedFindOptions<T>>,
): Live<live.LiveFind<T>>;
export function useFind<T extends object = fp.Doc>(
  database: Given<fp.UntypedDatabase>,
  options?: Given<fp.FindOptions>,
): Live<live.LiveFind<T>>;
export function useFind(source: Given<object>, options?: Given<object>) {
  return useLive(() => live.liveFind(read(source) as fp.Database, read(options)));
}

/** Returns the live documents of a database, in the order of their ids. */
export function useAllDocs<T extends object>(
  database: Given<fp.DatabaseOf<T>>,
  options?: Given<fp.AllDocsOptions>,
): Live<live.LiveDocs<T>>;
export function useAllDocs<T extends object = fp.Doc>(
  database: Given<fp.UntypedDatabase>,
  options?: Given<fp.AllDocsOptions>,
): Live<live.LiveDocs<T>>;
export function useAllDocs(source: Given<object>, options?: Given<fp.AllDocsOptions>) {
  return useLive(() => live.liveAllDocs(read(source) as fp.Database, read(options)));
}

/** Returns the live documents that were written after a head, oldest first. */
export function useChanges<T extends object>(
  database: Given<fp.DatabaseOf<T>>,
  since?: Given<fp.Head>,
): Live<live.LiveChanges<T>>;
export function useChanges<T extends object = fp.Doc>(
  database: Given<fp.UntypedDatabase>,
  since?: Given<fp.Head>,
): Live<live.LiveChanges<T>>;
export function useChanges(source: Given<object>, since?: Given<fp.Head>) {
  return useLive(() => live.liveChanges(read(source) as fp.Database, read(since)));
}

/**
 * Keeps a database attached to a ledger while the value is read, and returns the live state.
 * Undefined attaches nothing.
 */
export function useAttach(
  database: Given<fp.Database>,
  target: Given<fp.Remote | fp.CloudOptions | undefined>,
): Live<live.LiveAttach> {
  return useLive(() => live.liveAttach(read(database), read(target)));
}
