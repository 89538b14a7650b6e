import type {
  Collection,
  CollectionFindOptions,
  Database,
  DatabaseOf,
  Doc,
  FindOptions,
  FindResult,
  InvalidDocument,
  NoReferences,
  OnlyReferences,
  Stored,
  TypedFindOptions,
  UntypedDatabase,
  With,
  WithReferences,
} from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { isEqual } from './keep-equal.ts';
import { observeLoaded } from './observe-loaded.ts';

/** Result of `useFind`. */
export interface LiveFind<T extends object = Doc> {
  readonly docs: readonly Stored<T>[];
  /** The place after the last document, for `after`; undefined if no more documents match. */
  readonly next: string | undefined;
  /** With the option `with` of a database: the referenced documents. */
  readonly refs?: readonly Stored[];
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the documents are the previous documents. */
  readonly error: Error | undefined;
}

/** Result of `useFind` for a collection. */
export interface LiveCollectionFind<T extends object> extends LiveFind<T> {
  /** Documents that match, but break the schema. */
  readonly invalid: readonly InvalidDocument[];
}

/** The calls of a database or a collection of any types. */
interface Source {
  subscribe(listener: () => void): () => void;
  find(options?: object): Promise<Found>;
}

interface AnyDatabase extends Source, Pick<Database, 'onClosed'> {}

interface AnyCollection extends Source {
  readonly database: AnyDatabase;
}

interface Found extends FindResult {
  readonly invalid?: readonly InvalidDocument[];
}

const NONE: readonly InvalidDocument[] = [];

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
export function useFind(
  source: AnyDatabase | AnyCollection,
  options: { readonly with?: unknown } = {},
): LiveFind {
  const observer = useKept(() => {
    const isCollection = 'database' in source;
    const initial: Found = { docs: [], ...(isCollection && { invalid: NONE }) };
    const { onClosed } = isCollection ? source.database : source;
    // Changes of other collections can change the referenced documents.
    const { subscribe } = isCollection && options.with !== undefined ? source.database : source;
    return observeLoaded<Found>({ subscribe, onClosed }, () => source.find(options), initial, keepDocs);
  }, [source, inputText(options)]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value, hydrated, error } = loaded;
    const { docs, next, invalid, refs } = value;
    return { docs, next, hydrated, error, ...(invalid && { invalid }), ...(refs && { refs }) };
  }, [loaded]);
}

function keepDocs(before: Found, now: Found): Found {
  const known = new Map(before.docs.map((doc) => [doc._id, doc]));
  const docs = now.docs.map((doc) => {
    const same = known.get(doc._id);
    return same !== undefined && isEqual(same, doc) ? same : doc;
  });
  const isSame =
    before.next === now.next &&
    isEqual(before.invalid, now.invalid) &&
    isEqual(before.refs, now.refs) &&
    docs.length === before.docs.length &&
    docs.every((doc, at) => doc === before.docs[at]);
  return isSame ? before : { ...now, docs };
}
