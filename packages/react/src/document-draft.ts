import { type Database, type Doc, FixpointError, isFixpointError, type Stored, type Written } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/** A document that may not have been stored yet. */
export type DraftOf<T extends object> = T & { readonly _id?: string };

/** What a component shows of a draft. */
export interface DraftState<T extends object> {
  readonly doc: DraftOf<T>;
  /** False while the stored document is on its way. */
  readonly hydrated: boolean;
  /** Whether there are changes that were not saved; changes in the store do not show until they are. */
  readonly edited: boolean;
  readonly error: Error | undefined;
}

export interface DocumentDraft<T extends object = Doc> extends Observer<DraftState<T>> {
  merge(part: Partial<T>): void;
  replace(doc: DraftOf<T>): void;
  /** Back to the initial document. */
  reset(): void;
  /** Drops local edits and shows what is stored. */
  refresh(): Promise<void>;
  /** Stores the draft, or the document that is given. A draft without an id has the id it was stored under from then on. */
  save(existing?: DraftOf<T>): Promise<Written>;
  /** @throws FixpointError REMOVE_NEEDS_ID, REMOVE_NOT_FOUND */
  remove(existing?: DraftOf<T>): Promise<Written>;
}

/** A document being edited: follows the store as long as there are no local edits. */
export function draftOf<T extends object>(database: Database, initial: DraftOf<T>): DocumentDraft<T> {
  let state: DraftState<T> = {
    doc: initial,
    hydrated: initial._id === undefined,
    edited: false,
    error: undefined,
  };
  /** Counts edits: an answer that was asked for before the latest edit is too old to be shown. */
  let edits = 0;
  /** The id of the document that is edited now; a save that is on its way fills it in for those behind it. */
  let identity: { id: string | undefined } = { id: initial._id };
  let lastWrite: Promise<unknown> = Promise.resolve();

  const observed = listeners(() => {
    const stop = database.subscribe((docs) => {
      if (!state.edited && docs.some(({ _id }) => _id === state.doc._id)) void load();
    }, true);
    if (!state.edited) void load();
    return stop;
  });

  const show = (next: Partial<DraftState<T>>): void => {
    state = { ...state, ...next };
    observed.tell();
  };

  const edit = (doc: DraftOf<T>): void => {
    edits += 1;
    if (doc._id !== state.doc._id || doc === initial) identity = { id: doc._id };
    show({ doc, edited: true, hydrated: true });
  };

  async function load(): Promise<void> {
    const { _id } = state.doc;
    if (_id === undefined || _id === '') return;
    const asOf = edits;
    try {
      const doc = await stored<T>(database, _id);
      if (asOf === edits) show({ doc: doc ?? initial, hydrated: true, edited: false, error: undefined });
    } catch (cause) {
      if (asOf === edits) show({ hydrated: true, error: asError(cause) });
    }
  }

  /** One after another, so that the second save of a new draft knows the id that the first one gave it. */
  function inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = lastWrite.then(work).catch((cause: unknown) => {
      show({ error: asError(cause) });
      throw cause;
    });
    lastWrite = done.catch(() => undefined);
    return done;
  }

  const save = (existing?: DraftOf<T>) => {
    const asOf = edits;
    const doc = existing ?? state.doc;
    const own = existing === undefined ? identity : { id: existing._id };
    return inTurn(async () => {
      const written = await database.put(own.id === undefined ? doc : { ...doc, _id: own.id });
      own.id = written.id;
      if (existing !== undefined && asOf === edits) identity = own;
      if (own === identity) {
        const isLatest = asOf === edits;
        const shown = isLatest ? doc : state.doc;
        show({ doc: { ...shown, _id: written.id }, edited: !isLatest, hydrated: true, error: undefined });
        // Files became entries, which the next save keeps instead of storing the files again.
        if (isLatest && hasFiles(doc)) await load();
      }
      return written;
    });
  };

  const remove = (existing?: DraftOf<T>) =>
    inTurn(async () => {
      const { _id } = existing ?? state.doc;
      if (_id === undefined || _id === '') throw new FixpointError('REMOVE_NEEDS_ID');
      if ((await stored(database, _id)) === undefined) throw new FixpointError('REMOVE_NOT_FOUND');
      const written = await database.del(_id);
      edits += 1;
      identity = { id: initial._id };
      show({ doc: initial, edited: false, hydrated: true, error: undefined });
      return written;
    });

  return {
    subscribe: observed.add,
    current: () => state,
    merge: (part) => edit({ ...state.doc, ...part }),
    replace: (doc) => edit(doc),
    reset: () => edit(initial),
    refresh: async () => {
      edits += 1;
      state = { ...state, edited: false };
      await load();
    },
    save,
    remove,
  };
}

const hasFiles = (doc: object): boolean => '_files' in doc || '_publicFiles' in doc;

async function stored<T extends object>(database: Database, id: string): Promise<Stored<T> | undefined> {
  try {
    return await database.get<T>(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
