import type { Collection, Database, DatabaseOf, Doc, UntypedDatabase, Written } from 'fixpoint';
import { type DraftOf, type LiveDocument, liveDocument, type WithFiles } from 'fixpoint/live';
import { useMemo } from 'react';
import { useStore } from './use-store.ts';

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
  extends LiveDocument<T, W>,
    Iterable<unknown> {
  /** See {@link DocumentTuple}. */
  [Symbol.iterator](): Iterator<DocumentTuple<T, W>[number]>;
}

/**
 * Returns a document of a database or a collection to edit. With an `_id`, this is the stored
 * document, live while there are no local edits. Without an `_id`, or while no document is stored,
 * this is `initial`. `save` rejects a document that breaks the schema of its collection. The
 * returned functions are the same in each render.
 */
export function useDocument<In extends object, Out extends object, R>(
  collection: Collection<In, Out, R>,
  initial: DraftOf<NoInfer<WithFiles<Out>>> | (() => DraftOf<NoInfer<WithFiles<Out>>>),
): UsedDocument<WithFiles<Out>> & DocumentTuple<WithFiles<Out>>;
export function useDocument<T extends object>(
  database: DatabaseOf<T>,
  initial: DraftOf<NoInfer<T>> | (() => DraftOf<NoInfer<T>>),
): UsedDocument<T> & DocumentTuple<T>;
export function useDocument<T extends object = Doc>(
  database: UntypedDatabase,
  initial: DraftOf<T> | (() => DraftOf<T>),
): UsedDocument<T> & DocumentTuple<T>;
export function useDocument(
  source: object,
  initial: DraftOf<Doc> | (() => DraftOf<Doc>),
): UsedDocument & DocumentTuple<Doc> {
  const given = typeof initial === 'function' ? initial() : initial;
  const draft = useStore(liveDocument(source as Database, given));
  const { merge, replace, reset, refresh } = draft;
  const update = useMemo((): Update<Doc> => {
    return (doc, { replace: isWhole = false, reset: isReset = false } = {}) => {
      if (isReset) reset();
      if (doc === undefined) return isReset ? undefined : void refresh();
      if (isWhole) replace(doc);
      else merge(doc);
    };
  }, [merge, replace, reset, refresh]);
  return useMemo(() => {
    const tuple: DocumentTuple<Doc> = [draft.doc, update, draft.save, draft.remove, reset, refresh];
    const used = { ...draft, [Symbol.iterator]: () => tuple[Symbol.iterator]() };
    return Object.assign(used, { length: tuple.length }, tuple) as unknown as UsedDocument &
      DocumentTuple<Doc>;
  }, [draft, update, reset, refresh]);
}
