import type { Collection } from '../collections/collection-types.ts';
import type { DatabaseOf, UntypedDatabase } from '../collections/typed-database.ts';
import type { Database, Written } from '../database/database.ts';
import type { Doc } from '../documents/encode.ts';
import { type DraftOf, type DraftSource, type DraftState, draftOf } from './document-draft.ts';
import type { AnyFile } from './live-file.ts';
import type { LiveStore } from './live-store.ts';

/** A draft of a document, and its functions. The functions are always the same. */
export interface LiveDocument<T extends object = Doc, W extends Written = Written> extends DraftState<T> {
  /** Sets these fields of the draft, as a local edit. */
  merge(part: Partial<T>): void;
  /** Replaces the draft, as a local edit. */
  replace(doc: DraftOf<T>): void;
  /** Sets the draft to the initial document, as a local edit. */
  reset(): void;
  /** Drops local edits and loads the stored document. */
  refresh(): Promise<void>;
  /** Stores the draft, or the given document. Sets the `_id` of a draft without one. */
  save(existing?: DraftOf<T>): Promise<W>;
  /**
   * Deletes the stored document, or the given one, and sets the draft to the initial document.
   * @throws FixpointError REMOVE_NEEDS_ID, REMOVE_NOT_FOUND
   */
  remove(existing?: DraftOf<T>): Promise<W>;
  /**
   * Handles a form's submit: prevents the page load, saves, then resets to the initial document.
   * Reports a failure in `error`.
   */
  submit(event?: { preventDefault(): void }): Promise<void>;
}

/** The calls of a database or a collection of any types. */
interface Source {
  get(id: string): Promise<object>;
  put(doc: object): Promise<Written>;
  del(id: string): Promise<Written>;
}

type AnyDatabase = Source & Pick<Database, 'subscribe' | 'onClosed'>;

interface AnyCollection extends Source {
  readonly database: Pick<Database, 'onClosed'>;
  subscribe(listener: (ids: readonly string[]) => void): () => void;
}

/** A draft of a document of a collection, with attached files by name: new ones, or stored ones. */
export type WithFiles<T extends object> = T & { readonly _files?: Readonly<Record<string, AnyFile>> };

/**
 * Returns a document of a database or a collection to edit. With an `_id`, this is the stored
 * document, live while there are no local edits. Without an `_id`, or while no document is stored,
 * this is `initial`. `save` rejects a document that breaks the schema of its collection.
 */
export function liveDocument<In extends object, Out extends object, R>(
  collection: Collection<In, Out, R>,
  initial: DraftOf<NoInfer<WithFiles<Out>>>,
): LiveStore<LiveDocument<WithFiles<Out>>>;
export function liveDocument<T extends object>(
  database: DatabaseOf<T>,
  initial: DraftOf<NoInfer<T>>,
): LiveStore<LiveDocument<T>>;
export function liveDocument<T extends object = Doc>(
  database: UntypedDatabase,
  initial: DraftOf<T>,
): LiveStore<LiveDocument<T>>;
export function liveDocument(source: object, initial: DraftOf<Doc>): LiveStore<LiveDocument> {
  const { subscribe, current, ...calls } = draftOf<Doc>(
    sourceOf(source as AnyDatabase | AnyCollection),
    initial,
  );
  const submit = async (event?: { preventDefault(): void }): Promise<void> => {
    event?.preventDefault();
    const saved = await calls.save().catch(() => undefined);
    if (saved !== undefined) calls.reset();
  };
  let state = current();
  let shown: LiveDocument = { ...state, ...calls, submit };
  return {
    subscribe,
    current: () => {
      if (state !== current()) {
        state = current();
        shown = { ...state, ...calls, submit };
      }
      return shown;
    },
    inputs: [source, initial._id],
  };
}

function sourceOf(source: AnyDatabase | AnyCollection): DraftSource {
  const calls = {
    get: (id: string) => source.get(id),
    put: (doc: object) => source.put(doc),
    del: (id: string) => source.del(id),
  };
  if ('database' in source)
    return { ...calls, onIds: source.subscribe, onClosed: (fn) => source.database.onClosed(fn) };
  const onIds: DraftSource['onIds'] = (listener) =>
    source.subscribe((docs) => listener(docs.map(({ _id }) => _id)), true);
  return { ...calls, onIds, onClosed: (fn) => source.onClosed(fn) };
}
