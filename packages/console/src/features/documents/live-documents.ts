/** The documents of a database as a table shows them: read once, then kept up to date by what changed. */
import type { Database, Stored } from 'fixpoint';
import { columnsAfter, columnsByUse, countFields, type FieldUses } from './columns.ts';

export interface DocumentsState {
  /** False while the documents are on their way for the first time. */
  readonly loaded: boolean;
  /** In the order of their ids. */
  readonly docs: readonly Stored[];
  readonly columns: readonly string[];
  /** Whether other columns, or another order, would fit what the documents are now. */
  readonly columnsAreOld: boolean;
  readonly error: Error | undefined;
}

export interface LiveDocuments {
  subscribe(listener: () => void): () => void;
  current(): DocumentsState;
  /** Gives the columns the order that fits now. */
  orderColumns(): void;
}

const NOTHING: DocumentsState = {
  loaded: false,
  docs: [],
  columns: ['_id'],
  columnsAreOld: false,
  error: undefined,
};

/** Follows the database while somebody listens. */
export function liveDocuments(database: Database): LiveDocuments {
  const listeners = new Set<() => void>();
  let state = NOTHING;
  let uses: FieldUses = new Map();
  let stop: (() => void) | undefined;

  const show = (next: Partial<DocumentsState>) => {
    const merged = { ...state, ...next };
    const fitting = columnsByUse(uses);
    const columns = merged.loaded ? columnsAfter(merged.columns, uses) : merged.columns;
    const columnsAreOld = merged.loaded && columns.some((field, at) => field !== fitting[at]);
    state = { ...merged, columns, columnsAreOld };
    for (const listener of [...listeners]) listener();
  };

  /** Changes that come before the documents are read are put on top of them: they are never older. */
  function start(): () => void {
    const early: Stored[][] = [];
    let reading = true;
    let ended = false;
    const stopFeed = database.subscribe((changed) => {
      if (ended) return;
      if (reading) early.push([...changed]);
      else apply(changed);
    }, true);
    database.allDocs().then(
      ({ rows }) => {
        if (ended) return;
        reading = false;
        uses = new Map();
        const docs = rows.map(({ value }) => value);
        for (const doc of docs) countFields(uses, doc, 1);
        const columns = state.loaded ? state.columns : columnsByUse(uses);
        show({ loaded: true, docs, columns, error: undefined });
        for (const changed of early) apply(changed);
      },
      (error: Error) => {
        if (!ended) show({ error });
      },
    );
    return () => {
      ended = true;
      stopFeed();
    };
  }

  function apply(changed: readonly Stored[]): void {
    if (changed.length > 0) show({ docs: withChanges(state.docs, changed, uses) });
  }

  return {
    subscribe: (listener) => {
      const own = () => listener();
      listeners.add(own);
      stop ??= start();
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
    current: () => state,
    orderColumns: () => show({ columns: columnsByUse(uses) }),
  };
}

/** The list with documents put in, replaced or, when they were deleted, taken out. Counts what that does to the fields. */
export function withChanges(
  docs: readonly Stored[],
  changed: readonly Stored[],
  uses: FieldUses,
): readonly Stored[] {
  const newById = new Map(changed.map((doc) => [doc._id, doc]));
  const next: Stored[] = [];
  for (const doc of docs) {
    const newer = newById.get(doc._id);
    if (newer === undefined) {
      next.push(doc);
      continue;
    }
    newById.delete(doc._id);
    countFields(uses, doc, -1);
    if (isDeleted(newer)) continue;
    countFields(uses, newer, 1);
    next.push(newer);
  }
  const added = [...newById.values()].filter((doc) => !isDeleted(doc));
  if (added.length === 0) return next;
  for (const doc of added) countFields(uses, doc, 1);
  return [...next, ...added].sort(({ _id: a }, { _id: b }) => (a < b ? -1 : a > b ? 1 : 0));
}

const isDeleted = (doc: Stored): boolean => doc['_deleted'] === true;
