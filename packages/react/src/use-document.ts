import type { Database, Doc, Written } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { type DraftOf, type DraftState, draftOf } from './document-draft.ts';
import { useKept } from './use-kept.ts';

type Update<T extends object> = (
  doc?: DraftOf<T>,
  options?: { readonly replace?: boolean; readonly reset?: boolean },
) => void;
type Write<T extends object> = (existing?: DraftOf<T>) => Promise<Written>;

/** The parts of a draft in the order of `const [doc, update, save, remove, reset, refresh] = useDocument(...)`. */
export type DocumentTuple<T extends object> = readonly [
  doc: DraftOf<T>,
  update: Update<T>,
  save: Write<T>,
  remove: Write<T>,
  reset: () => void,
  refresh: () => Promise<void>,
];

/** What `useDocument` gives: the draft and what changes it, by name or as a tuple. */
export interface UsedDocument<T extends object = Doc> extends DraftState<T>, Iterable<unknown> {
  /** Sets these fields of the draft: a local edit. */
  merge(part: Partial<T>): void;
  /** The draft is this from now on: a local edit. */
  replace(doc: DraftOf<T>): void;
  /** The draft is the initial document: a local edit. */
  reset(): void;
  /** Back to what is stored, without edits. */
  refresh(): Promise<void>;
  /** Stores the draft, or the document that is given. A draft without an `_id` has the stored one afterwards. */
  readonly save: Write<T>;
  /** Deletes the stored document, or the one that is given; the draft is the initial document then. @throws FixpointError REMOVE_NEEDS_ID, REMOVE_NOT_FOUND */
  readonly remove: Write<T>;
  /** For a form: no page load, save, then back to the initial document. A failure shows in `error`. */
  submit(event?: { preventDefault(): void }): Promise<void>;
  /** See {@link DocumentTuple}. */
  [Symbol.iterator](): Iterator<DocumentTuple<T>[number]>;
}

/**
 * A document to edit. With an `_id` it is the stored one, live unless there are local edits; without one, or while none is stored, it is
 * `initial`. Its functions are the same at each render.
 */
export function useDocument<T extends object = Doc>(
  database: Database,
  initial: DraftOf<T> | (() => DraftOf<T>),
): UsedDocument<T> & DocumentTuple<T> {
  const given = typeof initial === 'function' ? initial() : initial;
  const draft = useKept(() => withForm(draftOf<T>(database, given)), [database, given._id]);
  const state = useSyncExternalStore(draft.subscribe, draft.current, draft.current);
  return useMemo(() => {
    const { subscribe: _, current: __, update, ...functions } = draft;
    const { save, remove, reset, refresh } = functions;
    const tuple: DocumentTuple<T> = [state.doc, update, save, remove, reset, refresh];
    const used = { ...state, ...functions, [Symbol.iterator]: () => tuple[Symbol.iterator]() };
    return Object.assign(used, { length: tuple.length }, tuple) as unknown as UsedDocument<T> &
      DocumentTuple<T>;
  }, [draft, state]);
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
