import { type Database, type Doc, FixpointError, isFixpointError, type Stored, type Written } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/** A document that may not be stored yet. */
export type DraftOf<T extends object> = T & { readonly _id?: string };

/** The state of a draft that a component renders. */
export interface DraftState<T extends object> {
  readonly doc: DraftOf<T>;
  /** False while the stored document loads. */
  readonly hydrated: boolean;
  /**
   * Whether there are unsaved edits. Changes of the stored document don't show until they are
   * saved.
   */
  readonly edited: boolean;
  readonly error: Error | undefined;
}

export interface DocumentDraft<T extends object = Doc> extends Observer<DraftState<T>> {
  merge(part: Partial<T>): void;
  replace(doc: DraftOf<T>): void;
  /** Sets the draft to the initial document. */
  reset(): void;
  /** Drops local edits and loads the stored document. */
  refresh(): Promise<void>;
  /** Stores the draft, or the given document. Sets the `_id` of a draft without one. */
  save(existing?: DraftOf<T>): Promise<Written>;
  /**
   * Deletes the stored document, or the given one, and shows the initial document.
   * @throws FixpointError REMOVE_NEEDS_ID, REMOVE_NOT_FOUND
   */
  remove(existing?: DraftOf<T>): Promise<Written>;
}

/** Creates a draft of a document, which follows the stored one while there are no local edits. */
export function draftOf<T extends object>(database: Database, initial: DraftOf<T>): DocumentDraft<T> {
  let state: DraftState<T> = {
    doc: initial,
    hydrated: !hasId(initial),
    edited: false,
    error: undefined,
  };
  /** Counts edits. A read that started before the latest edit is outdated. */
  let edits = 0;
  /**
   * Whether the stored document has been read, or is irrelevant because the whole draft was
   * replaced.
   */
  let isKnown = !hasId(initial);
  /**
   * Fields merged before the stored document has loaded. They are merged into it then, so that
   * saving keeps its other fields.
   */
  let early: Partial<T> | undefined;
  /** Counts reads. When reads overlap, the one that started last wins. */
  let reads = 0;
  /** Id of the edited document. A save in progress sets it for the saves queued after it. */
  let identity: { id: string | undefined } = { id: initial._id };
  let lastWrite: Promise<unknown> = Promise.resolve();

  const observed = listeners(() => {
    const stop = database.subscribe((docs) => {
      if (!state.edited && docs.some(({ _id }) => _id === state.doc._id)) void load();
    }, true);
    const stopClosed = database.onClosed(() => void load());
    if (!state.edited || early !== undefined) void load();
    return () => {
      stop();
      stopClosed();
    };
  });

  const show = (next: Partial<DraftState<T>>): void => {
    state = { ...state, ...next };
    observed.tell();
  };

  /** Marks the draft as complete: the next load has nothing to merge into it. */
  const settle = (): void => {
    isKnown = true;
    early = undefined;
  };

  const edit = (doc: DraftOf<T>): void => {
    edits += 1;
    settle();
    if (doc._id !== state.doc._id || doc === initial) identity = { id: doc._id };
    show({ doc, edited: true, hydrated: true });
  };

  const merge = (part: Partial<T>): void => {
    const doc = { ...state.doc, ...part };
    if (isKnown || doc._id !== state.doc._id) edit(doc);
    else {
      early = { ...early, ...part };
      show({ doc, edited: true });
    }
  };

  /** Shows the initial document, without edits. */
  const showInitial = (): void => {
    edits += 1;
    settle();
    identity = { id: initial._id };
    show({ doc: initial, edited: false, hydrated: true, error: undefined });
  };

  async function load(): Promise<void> {
    const before = state.doc;
    if (!hasId(before)) return;
    reads += 1;
    const [asOf, own] = [edits, reads];
    const isNewest = () => asOf === edits && own === reads;
    try {
      const found = (await stored<T>(database, before._id)) ?? initial;
      if (!isNewest()) return;
      // Deleted elsewhere: the next save must create a new document, not restore the deleted one.
      if (found === initial && identity.id !== initial._id) identity = { id: initial._id };
      const edited = early !== undefined;
      const doc = edited ? { ...found, ...early } : found;
      settle();
      show({ doc, edited, hydrated: true, error: undefined });
    } catch (cause) {
      if (isNewest()) show({ hydrated: true, error: asError(cause) });
    }
  }

  /**
   * Runs writes one at a time, so that the second save of a new draft knows the id from the first.
   */
  function inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = lastWrite.then(work).catch((cause: unknown) => {
      show({ error: asError(cause) });
      throw cause;
    });
    lastWrite = done.catch(() => undefined);
    return done;
  }

  async function put(doc: DraftOf<T>, own: { id: string | undefined }, asOf: number, isGiven: boolean) {
    const written = await database.put(own.id === undefined ? doc : { ...doc, _id: own.id });
    own.id = written.id;
    if (isGiven && asOf === edits) identity = own;
    if (own === identity) {
      const isLatest = asOf === edits;
      if (isLatest) settle();
      const shown = isLatest ? doc : state.doc;
      show({ doc: { ...shown, _id: written.id }, edited: !isLatest, hydrated: true, error: undefined });
      // Load what is stored: files are now entries, which the next save keeps, and somebody else
      // may have changed the document during the save.
      if (isLatest) await load();
    }
    return written;
  }

  const save = (existing?: DraftOf<T>) => {
    if (existing !== undefined) {
      const asOf = edits;
      return inTurn(() => put(existing, { id: existing._id }, asOf, true));
    }
    if (isKnown) {
      const [doc, own, asOf] = [state.doc, identity, edits];
      return inTurn(() => put(doc, own, asOf, false));
    }
    return inTurn(async () => {
      while (!isKnown) {
        await load();
        if (!isKnown && state.error !== undefined) throw state.error;
      }
      return put(state.doc, identity, edits, false);
    });
  };

  const remove = (existing?: DraftOf<T>) =>
    inTurn(async () => {
      const doc = existing ?? state.doc;
      if (!hasId(doc)) throw new FixpointError('REMOVE_NEEDS_ID');
      if ((await stored(database, doc._id)) === undefined) throw new FixpointError('REMOVE_NOT_FOUND');
      const written = await database.del(doc._id);
      showInitial();
      return written;
    });

  return {
    subscribe: observed.add,
    current: () => state,
    merge,
    replace: edit,
    reset: () => edit(initial),
    refresh: async () => {
      if (!hasId(state.doc)) return showInitial();
      edits += 1;
      early = undefined;
      state = { ...state, edited: false };
      await load();
    },
    save,
    remove,
  };
}

const hasId = <D extends { readonly _id?: string }>(doc: D): doc is D & { readonly _id: string } =>
  doc._id !== undefined && doc._id !== '';

async function stored<T extends object>(database: Database, id: string): Promise<Stored<T> | undefined> {
  try {
    return await database.get<T>(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
