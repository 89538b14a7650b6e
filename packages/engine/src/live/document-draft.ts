import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Written } from '../database/database.ts';
import type { Doc } from '../documents/encode.ts';
import { asError, listeners } from './live-store.ts';

/** A document that isn't necessarily stored yet. */
export type DraftOf<T extends object> = T & { readonly _id?: string };

/** The state of a draft that a component renders. */
export interface DraftState<T extends object> {
  readonly doc: DraftOf<T>;
  /** False while the stored document loads. */
  readonly hydrated: boolean;
  /**
   * Whether there are unsaved edits. Until they are saved, changes of the stored document don't
   * appear in the draft.
   */
  readonly edited: boolean;
  readonly error: Error | undefined;
}

export interface DocumentDraft<T extends object = Doc> {
  subscribe(listener: () => void): () => void;
  current(): DraftState<T>;
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

/** Where the document of a draft is stored: a database, or a collection. */
export interface DraftSource {
  get(id: string): Promise<object>;
  put(doc: object): Promise<Written>;
  del(id: string): Promise<Written>;
  /** Calls `listener` with the ids of changed documents. */
  onIds(listener: (ids: readonly string[]) => void): () => void;
  onClosed(listener: () => void): () => void;
}

interface Draft<T extends object> {
  readonly source: DraftSource;
  readonly initial: DraftOf<T>;
  /** Notifies the components that render the draft. */
  readonly tell: () => void;
  state: DraftState<T>;
  /** Counts edits. A read that started before the latest edit is outdated. */
  edits: number;
  /**
   * Whether the stored document has been read, or is irrelevant because the whole draft was
   * replaced.
   */
  isKnown: boolean;
  /**
   * Fields edited before the stored document has loaded. When the document loads, these fields are
   * merged into it, so that saving keeps its other fields.
   */
  early: Partial<T> | undefined;
  /** Counts reads. When reads overlap, the one that started last wins. */
  reads: number;
  /**
   * Id of the edited document. A save in progress sets the id for the saves that are queued after
   * it.
   */
  identity: Identity;
  lastWrite: Promise<unknown>;
}

interface Identity {
  id: string | undefined;
}

/**
 * Creates a draft of a document. The draft follows the stored document while there are no local
 * edits.
 */
export function draftOf<T extends object>(source: DraftSource, initial: DraftOf<T>): DocumentDraft<T> {
  const observed = listeners(() => follow(draft));
  const draft: Draft<T> = {
    source,
    initial,
    tell: observed.tell,
    state: { doc: initial, hydrated: !hasId(initial), edited: false, error: undefined },
    edits: 0,
    isKnown: !hasId(initial),
    early: undefined,
    reads: 0,
    identity: { id: initial._id },
    lastWrite: Promise.resolve(),
  };
  return {
    subscribe: observed.add,
    current: () => draft.state,
    merge: (part) => merge(draft, part),
    replace: (doc) => edit(draft, doc),
    reset: () => edit(draft, initial),
    refresh: () => refresh(draft),
    save: (existing) => save(draft, existing),
    remove: (existing) => remove(draft, existing),
  };
}

/**
 * Reloads the draft after each change of the stored document, until the returned function is
 * called.
 */
function follow<T extends object>(draft: Draft<T>): () => void {
  const { source, state, early } = draft;
  const stop = source.onIds((ids) => {
    const { edited, doc } = draft.state;
    if (!edited && ids.some((id) => id === doc._id)) void load(draft);
  });
  const stopClosed = source.onClosed(() => void load(draft));
  if (!state.edited || early !== undefined) void load(draft);
  return () => {
    stop();
    stopClosed();
  };
}

function show<T extends object>(draft: Draft<T>, next: Partial<DraftState<T>>): void {
  draft.state = { ...draft.state, ...next };
  draft.tell();
}

/** Marks the whole draft as known, so that the next load merges no early edits. */
function settle<T extends object>(draft: Draft<T>): void {
  draft.isKnown = true;
  draft.early = undefined;
}

function edit<T extends object>(draft: Draft<T>, doc: DraftOf<T>): void {
  draft.edits += 1;
  settle(draft);
  if (doc._id !== draft.state.doc._id || doc === draft.initial) draft.identity = { id: doc._id };
  show(draft, { doc, edited: true, hydrated: true });
}

function merge<T extends object>(draft: Draft<T>, part: Partial<T>): void {
  const doc = { ...draft.state.doc, ...part };
  if (draft.isKnown || doc._id !== draft.state.doc._id) edit(draft, doc);
  else {
    draft.early = { ...draft.early, ...part };
    show(draft, { doc, edited: true });
  }
}

/** Shows the initial document, without edits. */
function showInitial<T extends object>(draft: Draft<T>): void {
  const { initial } = draft;
  draft.edits += 1;
  settle(draft);
  draft.identity = { id: initial._id };
  show(draft, { doc: initial, edited: false, hydrated: true, error: undefined });
}

async function refresh<T extends object>(draft: Draft<T>): Promise<void> {
  if (!hasId(draft.state.doc)) return showInitial(draft);
  draft.edits += 1;
  draft.early = undefined;
  draft.state = { ...draft.state, edited: false };
  await load(draft);
}

async function load<T extends object>(draft: Draft<T>): Promise<void> {
  const { initial } = draft;
  const before = draft.state.doc;
  if (!hasId(before)) return;
  draft.reads += 1;
  const [asOf, own] = [draft.edits, draft.reads];
  const isNewest = () => asOf === draft.edits && own === draft.reads;
  try {
    const found = (await stored<T>(draft.source, before._id)) ?? initial;
    if (!isNewest()) return;
    // If the document was deleted elsewhere, the next save must create a new document, not restore
    // the deleted one.
    if (found === initial && draft.identity.id !== initial._id) draft.identity = { id: initial._id };
    const edited = draft.early !== undefined;
    const doc = edited ? { ...found, ...draft.early } : found;
    settle(draft);
    show(draft, { doc, edited, hydrated: true, error: undefined });
  } catch (cause) {
    if (isNewest()) show(draft, { hydrated: true, error: asError(cause) });
  }
}

/**
 * Runs writes one at a time, so that the second save of a new draft knows the id from the first
 * save.
 */
function inTurn<T extends object, R>(draft: Draft<T>, work: () => Promise<R>): Promise<R> {
  const done = draft.lastWrite.then(work).catch((cause: unknown) => {
    show(draft, { error: asError(cause) });
    throw cause;
  });
  draft.lastWrite = done.catch(() => undefined);
  return done;
}

function save<T extends object>(draft: Draft<T>, existing?: DraftOf<T>): Promise<Written> {
  const { edits: asOf, identity, state } = draft;
  if (existing !== undefined)
    return inTurn(draft, () => put(draft, existing, { id: existing._id }, asOf, true));
  if (draft.isKnown) return inTurn(draft, () => put(draft, state.doc, identity, asOf, false));
  return inTurn(draft, async () => {
    while (!draft.isKnown) {
      await load(draft);
      if (!draft.isKnown && draft.state.error !== undefined) throw draft.state.error;
    }
    return put(draft, draft.state.doc, draft.identity, draft.edits, false);
  });
}

/**
 * Stores a document, then shows it if the draft still has the same identity.
 * @param own receives the id of the stored document
 * @param asOf number of edits when the save was called
 * @param isGiven whether the caller passed the document
 */
async function put<T extends object>(
  draft: Draft<T>,
  doc: DraftOf<T>,
  own: Identity,
  asOf: number,
  isGiven: boolean,
): Promise<Written> {
  const written = await draft.source.put(own.id === undefined ? doc : { ...doc, _id: own.id });
  own.id = written.id;
  const isLatest = asOf === draft.edits;
  if (isGiven && isLatest) draft.identity = own;
  if (own === draft.identity) {
    if (isLatest) settle(draft);
    const shown = isLatest ? doc : draft.state.doc;
    show(draft, {
      doc: { ...shown, _id: written.id },
      edited: !isLatest,
      hydrated: true,
      error: undefined,
    });
    // Reload the stored document. It now refers to its files by entries, which the next save must
    // keep. Another writer may also have changed it during the save.
    if (isLatest) await load(draft);
  }
  return written;
}

function remove<T extends object>(draft: Draft<T>, existing?: DraftOf<T>): Promise<Written> {
  const { source } = draft;
  return inTurn(draft, async () => {
    const doc = existing ?? draft.state.doc;
    if (!hasId(doc)) throw new FixpointError('REMOVE_NEEDS_ID');
    if ((await stored(source, doc._id)) === undefined) throw new FixpointError('REMOVE_NOT_FOUND');
    const written = await source.del(doc._id);
    showInitial(draft);
    return written;
  });
}

const hasId = <D extends { readonly _id?: string }>(doc: D): doc is D & { readonly _id: string } =>
  doc._id !== undefined && doc._id !== '';

async function stored<T extends object>(source: DraftSource, id: string): Promise<DraftOf<T> | undefined> {
  try {
    return (await source.get(id)) as DraftOf<T>;
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
