/** Vue composables over the live stores of `fixpoint/live`. */
import type * as fp from 'fixpoint';
import * as live from 'fixpoint/live';
import {
  computed,
  getCurrentInstance,
  getCurrentScope,
  type MaybeRefOrGetter,
  onBeforeMount,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue';

/** A live value. A template reads it without `.value`. */
export type Live<T> = Readonly<ShallowRef<T>>;
/** A value, a ref, or a function that returns the value. Changes of refs change the result. */
export type Given<T> = MaybeRefOrGetter<T>;
type AnyMap = string | fp.MapFunction | fp.TypedMap;

/**
 * Returns the live value of a store of `fixpoint/live`. `make` runs again when a ref that it reads
 * changes; a store with equal inputs is kept. In a component, loading starts just before the
 * component is mounted, so that a server renders a value that hasn't loaded. It stops with the
 * component or the effect scope.
 */
export function useLive<T>(make: () => live.LiveStore<T>): Live<T> {
  const store = computed<live.LiveStore<T>>((before) => live.sameStore(before, make()));
  const value = shallowRef(store.value.current()) as ShallowRef<T>;
  const follow = () =>
    watch(
      store,
      ({ subscribe, current }, _before, onCleanup) => {
        const show = () => {
          value.value = current();
        };
        show();
        onCleanup(subscribe(show));
      },
      { immediate: true },
    );
  const scope = getCurrentScope();
  if (getCurrentInstance() === null) follow();
  else onBeforeMount(() => void scope?.run(follow));
  return value;
}

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
  return useLive(() => live.liveDocument(toValue(source) as fp.Database, toValue(initial)));
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
  return useLive(() => live.liveQuery(toValue(source) as fp.Database, map, toValue(options)));
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
  return useLive(() => live.liveFind(toValue(source) as fp.Database, toValue(options)));
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
  return useLive(() => live.liveAllDocs(toValue(source) as fp.Database, toValue(options)));
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
  return useLive(() => live.liveChanges(toValue(source) as fp.Database, toValue(since)));
}

/**
 * Keeps a database attached to a ledger while the component or scope lives, and returns the live
 * state. Undefined attaches nothing.
 */
export function useAttach(
  database: Given<fp.Database>,
  target: Given<fp.Remote | fp.CloudOptions | undefined>,
): Live<live.LiveAttach> {
  return useLive(() => live.liveAttach(toValue(database), toValue(target)));
}
