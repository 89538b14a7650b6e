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
    hydrated: !hasId(initial),
    edited: false,
    error: undefined,
  };
  /** Counts edits: an answer that was asked for before the latest edit is too old to be shown. */
  let edits = 0;
  /** Whether what the draft stands for has been seen, or is of no account since all of it was replaced. */
  let isKnown = !hasId(initial);
  /** What was merged before: it is merged into the stored document when that comes, so that saving loses none of its other fields. */
  let early: Partial<T> | undefined;
  /** Counts reads: of those that overlap the one that was asked for last is the newest. */
  let reads = 0;
  /** The id of the document that is edited now; a save that is on its way fills it in for those behind it. */
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

  /** From here on the draft is what is shown. */
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

  /** Back to the initial document, as if nobody had edited it. */
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
      // Deleted elsewhere: what is saved from here on is a document like the initial one, not that one again.
      if (found === initial && identity.id !== initial._id) identity = { id: initial._id };
      const edited = early !== undefined;
      const doc = edited ? { ...found, ...early } : found;
      settle();
      show({ doc, edited, hydrated: true, error: undefined });
    } catch (cause) {
      if (isNewest()) show({ hydrated: true, error: asError(cause) });
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

  async function put(doc: DraftOf<T>, own: { id: string | undefined }, asOf: number, isGiven: boolean) {
    const written = await database.put(own.id === undefined ? doc : { ...doc, _id: own.id });
    own.id = written.id;
    if (isGiven && asOf === edits) identity = own;
    if (own === identity) {
      const isLatest = asOf === edits;
      if (isLatest) settle();
      const shown = isLatest ? doc : state.doc;
      show({ doc: { ...shown, _id: written.id }, edited: !isLatest, hydrated: true, error: undefined });
      // As it is stored: files became entries, which the next save keeps, and somebody else may have written it meanwhile.
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
