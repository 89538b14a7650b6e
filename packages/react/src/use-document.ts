import type { Collection, Database, DatabaseOf, Doc, UntypedDatabase, Written } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { type DraftOf, type DraftSource, type DraftState, draftOf } from './document-draft.ts';
import { useKept } from './use-kept.ts';

type Update<T extends object> = (
  doc?: DraftOf<T>,
  options?: { readonly replace?: boolean; readonly reset?: boolean },
) => void;
type Write<T extends object, W> = (existing?: DraftOf<T>) => Promise<W>;

/**
 * The result as a tuple: `const [doc, update, save, remove, reset, refresh] = useDocument(...)`.
 */
export type DocumentTuple<T extends object, W extends Written = Written> = readonly [
  doc: DraftOf<T>,
  update: Update<T>,
  save: Write<T, W>,
  remove: Write<T, W>,
  reset: () => void,
  refresh: () => Promise<void>,
];

/** Result of `useDocument`: the draft and its functions, by name or as a tuple. */
export interface UsedDocument<T extends object = Doc, W extends Written = Written>
  extends DraftState<T>,
    Iterable<unknown> {
  /** Sets these fields of the draft, as a local edit. */
  merge(part: Partial<T>): void;
  /** Replaces the draft, as a local edit. */
  replace(doc: DraftOf<T>): void;
  /** Sets the draft to the initial document, as a local edit. */
  reset(): void;
  /** Drops local edits and loads the stored document. */
  refresh(): Promise<void>;
  /** Stores the draft, or the given document. Sets the `_id` of a draft without one. */
  readonly save: Write<T, W>;
  /**
   * Deletes the stored document, or the given one, and sets the draft to the initial document.
   * @throws FixpointError REMOVE_NEEDS_ID, REMOVE_NOT_FOUND
   */
  readonly remove: Write<T, W>;
  /**
   * Handles a form's submit: prevents the page load, saves, then resets to the initial document.
   * Reports a failure in `error`.
   */
  submit(event?: { preventDefault(): void }): Promise<void>;
  /** See {@link DocumentTuple}. */
  [Symbol.iterator](): Iterator<DocumentTuple<T, W>[number]>;
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

/**
 * Returns a document of a database or a collection to edit. With an `_id`, this is the stored
 * document, live while there are no local edits. Without an `_id`, or while no document is stored,
 * this is `initial`. `save` rejects a document that breaks the schema of its collection. The
 * returned functions are the same in each render.
 */
export function useDocument<In extends object, Out extends object, R>(
  collection: Collection<In, Out, R>,
  initial: DraftOf<NoInfer<Out>> | (() => DraftOf<NoInfer<Out>>),
): UsedDocument<Out> & DocumentTuple<Out>;
export function useDocument<T extends object>(
  database: DatabaseOf<T>,
  initial: DraftOf<NoInfer<T>> | (() => DraftOf<NoInfer<T>>),
): UsedDocument<T> & DocumentTuple<T>;
export function useDocument<T extends object = Doc>(
  database: UntypedDatabase,
  initial: DraftOf<T> | (() => DraftOf<T>),
): UsedDocument<T> & DocumentTuple<T>;
export function useDocument(
  source: AnyDatabase | AnyCollection,
  initial: DraftOf<Doc> | (() => DraftOf<Doc>),
): UsedDocument & DocumentTuple<Doc> {
  const given = typeof initial === 'function' ? initial() : initial;
  const draft = useKept(() => withForm(draftOf<Doc>(sourceOf(source), given)), [source, given._id]);
  const state = useSyncExternalStore(draft.subscribe, draft.current, draft.current);
  return useMemo(() => {
    const { subscribe: _, current: __, update, ...functions } = draft;
    const { save, remove, reset, refresh } = functions;
    const tuple: DocumentTuple<Doc> = [state.doc, update, save, remove, reset, refresh];
    const used = { ...state, ...functions, [Symbol.iterator]: () => tuple[Symbol.iterator]() };
    return Object.assign(used, { length: tuple.length }, tuple) as unknown as UsedDocument &
      DocumentTuple<Doc>;
  }, [draft, state]);
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

function withForm<T extends object>(draft: ReturnType<typeof draftOf<T>>) {
  const update: Update<T> = (doc, { replace = false, reset = false } = {}) => {
    if (reset) draft.reset();
    if (doc === undefined) return reset ? undefined : void draft.refresh();
    if (replace) draft.replace(doc);
    else draft.merge(doc);
  };
  const submit = async (event?: { preventDefault(): void }): Promise<void> => {
    event?.preventDefault();
    const saved = await draft.save().catch(() => undefined);
    if (saved !== undefined) draft.reset();
  };
  return { ...draft, update, submit };
}
