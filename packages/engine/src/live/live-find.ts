import type {
  Collection,
  CollectionFindOptions,
  NoReferences,
  OnlyReferences,
  ReadDocument,
  With,
  WithReferences,
} from '../collections/collection-types.ts';
import type { InvalidDocument } from '../collections/stored-form.ts';
import type { DatabaseOf, TypedFindOptions, UntypedDatabase } from '../collections/typed-database.ts';
import type { Database, FindOptions, FindResult, Stored } from '../database/database.ts';
import type { Doc } from '../documents/encode.ts';
import { inputText, plainCopy } from './inputs.ts';
import { isEqual } from './keep-equal.ts';
import type { LiveStore } from './live-store.ts';
import { type LoadState, loadedStore } from './loaded-store.ts';

/** The live documents that match some conditions. */
export interface LiveFind<T extends object = Doc> extends LoadState {
  readonly docs: readonly Stored<T>[];
  /** The place after the last document, for `after`; undefined if no more documents match. */
  readonly next: string | undefined;
  /** With the option `with` of a database: the referenced documents. */
  readonly refs?: readonly Stored[];
}

/** The live documents of a collection that match some conditions. */
export interface LiveCollectionFind<T extends object> extends LiveFind<T> {
  readonly docs: readonly ReadDocument<T>[];
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
export function liveFind<In extends object, Out extends object, R, const W extends With<R> = NoReferences>(
  collection: Collection<In, Out, R>,
  options?: CollectionFindOptions<Out> & { readonly with?: (W & OnlyReferences<W, R>) | undefined },
): LiveStore<LiveCollectionFind<WithReferences<Out, R, W>>>;
export function liveFind<T extends object>(
  database: DatabaseOf<T>,
  options?: TypedFindOptions<T>,
): LiveStore<LiveFind<T>>;
export function liveFind<T extends object = Doc>(
  database: UntypedDatabase,
  options?: FindOptions,
): LiveStore<LiveFind<T>>;
export function liveFind(given: object, findOptions: { readonly with?: unknown } = {}): LiveStore<LiveFind> {
  const source = given as AnyDatabase | AnyCollection;
  const options = plainCopy(findOptions);
  const isCollection = 'database' in source;
  const { onClosed } = isCollection ? source.database : source;
  // Changes of other collections can change the referenced documents.
  const { subscribe } = isCollection && options.with !== undefined ? source.database : source;
  return loadedStore<Found, LiveFind>({
    source: { subscribe, onClosed },
    inputs: [source, inputText(options)],
    initial: { docs: [], ...(isCollection && { invalid: NONE }) },
    load: () => source.find(options),
    keep: keepDocs,
    show: ({ docs, next, invalid, refs }, state) => ({
      docs,
      next,
      ...state,
      ...(invalid && { invalid }),
      ...(refs && { refs }),
    }),
  });
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
