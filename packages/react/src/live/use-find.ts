import type {
  Collection,
  CollectionFindOptions,
  Database,
  DatabaseOf,
  Doc,
  FindOptions,
  NoReferences,
  OnlyReferences,
  TypedFindOptions,
  UntypedDatabase,
  With,
  WithReferences,
} from 'fixpoint';
import { type LiveCollectionFind, type LiveFind, liveFind } from 'fixpoint/live';
import { useStore } from '../use-store.ts';

/**
 * Returns the live documents of a database or a collection that match the conditions. The search
 * uses the declared indexes: see the option `indexes`. Unchanged documents stay the same objects.
 * With `with`, the referenced documents are live, too.
 */
export function useFind<In extends object, Out extends object, R, const W extends With<R> = NoReferences>(
  collection: Collection<In, Out, R>,
  options?: CollectionFindOptions<Out> & { readonly with?: (W & OnlyReferences<W, R>) | undefined },
): LiveCollectionFind<WithReferences<Out, R, W>>;
export function useFind<T extends object>(
  database: DatabaseOf<T>,
  options?: TypedFindOptions<T>,
): LiveFind<T>;
export function useFind<T extends object = Doc>(
  database: UntypedDatabase,
  options?: FindOptions,
): LiveFind<T>;
export function useFind(source: object, options?: object): LiveFind {
  return useStore(liveFind(source as Database, options));
}
