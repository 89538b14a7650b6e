/**
 * Provides the rows of a table over a database of any size: windows around the view, read again
 * when the database changes. Without filter and sort, a row is identified by its position. With
 * them, matching ids are found first and reread in the background.
 */
import type { Database } from 'fixpoint';
import { byUse, type Cell, type Filter, type Rows, type RowWindow } from 'fixpoint/rows';
import { createChunks, type TableRow } from './row-chunks.ts';

export type { TableRow } from './row-chunks.ts';

/** Selects the documents of a table, and their order. */
export interface RowsQuery {
  readonly filter?: Filter | undefined;
  /** A field; without one, rows are sorted by id. */
  readonly sort?: string | undefined;
  readonly descending: boolean;
}

export interface RowsState {
  readonly phase: 'loading' | 'there' | 'failed';
  /** Number of rows; while a database is counted, the number known so far. */
  readonly count: number;
  readonly isCounted: boolean;
  /**
   * Fields of the first rows read: all that is known of columns until all documents are counted.
   */
  readonly fields: readonly string[];
  /** Documents scanned by a running search; undefined when none runs. */
  readonly looked: number | undefined;
  /** Changes whenever a row or its position changes. */
  readonly version: number;
  readonly error: unknown;
}

export interface LiveRows {
  subscribe(listener: () => void): () => void;
  current(): RowsState;
  rowAt(at: number): TableRow | undefined;
  /** Returns the index of a loaded row. */
  indexOf(id: string): number | undefined;
  /** Sets the rows and fields in view, which are loaded and kept up to date. */
  show(from: number, to: number, fields: readonly string[]): void;
  /**
   * Sets how many changes wait to be sent. While some do, rows say whether they are pending; they
   * are reread when the number changes.
   */
  toSend(count: number): void;
  /** Returns the ids of all rows, in order. @throws the reason of the signal */
  ids(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

export type RowsSource = Pick<Rows, 'window' | 'find' | 'count'>;

const CHUNK = 100;
/** Rows loaded beyond the view. */
const AHEAD = 60;
const FIRST_FIELDS = 40;
/** Delay after a change before the search runs again; longer when searches are slow. */
const SEARCH_PAUSE_MS = 250;
const FRAME_MS = 16;
/** Minimum interval between progress updates: rendering them slows the search. */
const TOLD_EACH_MS = 100;

const NOTHING: RowsState = {
  phase: 'loading',
  count: 0,
  isCounted: false,
  fields: [],
  looked: undefined,
  version: 0,
  error: undefined,
};

export type { Cell };

/** Follows the database while there are subscribers. */
export function liveRows(
  rows: RowsSource,
  database: Pick<Database, 'subscribe'>,
  query: RowsQuery,
): LiveRows {
  const listeners = new Set<() => void>();
  const chunks = createChunks(CHUNK);
  const isFound = query.filter !== undefined || query.sort !== undefined;
  let state = NOTHING;
  let view: { from: number; to: number; fields: readonly string[] | undefined } = {
    from: 0,
    to: CHUNK - 1,
    fields: undefined,
  };
  /** Ids that a search found. */
  let found: readonly string[] = [];
  let ended = new AbortController();
  let isOld = true;
  let unsent = 0;
  let pumping: AbortSignal | undefined;

  const tell = (next: Partial<RowsState>, areRowsNew = true): void => {
    state = { ...state, ...next, version: state.version + (areRowsNew ? 1 : 0) };
    for (const listener of [...listeners]) listener();
  };
  const fail = (error: unknown, signal: AbortSignal): void => {
    if (!signal.aborted) tell({ phase: state.phase === 'there' ? 'there' : 'failed', error }, false);
  };
  const order = query.descending ? { descending: true } : {};
  const partsOf = () => ({
    ...(view.fields && { fields: view.fields }),
    ...(unsent > 0 && { unsent: true }),
  });

  /** Reads rows of whole chunks. */
  const read = (from: number, to: number): Promise<RowWindow> => {
    const limit = to - from;
    return isFound
      ? rows.window({ ids: found.slice(from, to), limit, ...partsOf() })
      : rows.window({ offset: from, limit, ...order, ...partsOf() });
  };

  /** Returns the current index of the first row in view. */
  async function moved(): Promise<number> {
    const { from } = view;
    const anchor = from === 0 ? undefined : chunks.rowAt(from);
    if (anchor === undefined) return from;
    if (isFound) {
      const at = found.indexOf(anchor.id);
      return at < 0 ? from : at;
    }
    const [behind, own] = await Promise.all([
      rows.window({ after: anchor.id, limit: 1, fields: [], ...order }),
      rows.window({ ids: [anchor.id], limit: 1, fields: [] }),
    ]);
    const after = behind.at ?? behind.total ?? (await rows.count());
    return Math.max(0, after - own.rows.length);
  }

  /** Reads the view again; drops the previous rows only when the new ones are loaded. */
  async function refresh(signal: AbortSignal): Promise<void> {
    isOld = false;
    const asked = view;
    const from = await moved();
    const to = from + asked.to - asked.from;
    const [first, last] = [Math.floor(from / CHUNK) * CHUNK, Math.ceil((to + 1) / CHUNK) * CHUNK];
    const window = await read(first, last);
    if (signal.aborted) return;
    if (isFound) found = withoutGone(found, first, last, window);
    chunks.replace(first, window);
    const fields = state.fields.length > 0 ? state.fields : fieldsByUse(window);
    if (view === asked) view = { from, to, fields: view.fields ?? fields.slice(0, FIRST_FIELDS) };
    tell({ phase: 'there', error: undefined, fields, ...counted(first, window) });
    if (window.total === undefined && !isFound) await count(signal);
  }

  function counted(first: number, window: RowWindow): Pick<RowsState, 'count' | 'isCounted'> {
    if (isFound) return { count: found.length, isCounted: true };
    const { total } = window;
    if (total !== undefined) return { count: total, isCounted: true };
    return { count: Math.max(state.count, first + window.rows.length), isCounted: false };
  }

  async function count(signal: AbortSignal): Promise<void> {
    const total = await rows.count({ signal });
    if (!signal.aborted) tell({ count: total, isCounted: true });
  }

  /** Returns the next missing chunk: first in view, then where the user scrolls next. */
  function nextMissing(): number | undefined {
    const { from, to, fields = [] } = view;
    const last = state.count - 1;
    return (
      chunks.missing(from, Math.min(to, last), fields) ??
      chunks.missing(Math.max(0, from - AHEAD), Math.min(to + AHEAD, last), fields)
    );
  }

  /** Loads missing rows in view chunk by chunk; changed ones first. */
  async function pump(signal: AbortSignal): Promise<void> {
    if (pumping === signal) return;
    pumping = signal;
    try {
      while (!signal.aborted) {
        if (isOld) {
          await refresh(signal);
          await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
          continue;
        }
        const missing = nextMissing();
        if (missing === undefined) break;
        const window = await read(missing, missing + CHUNK);
        if (signal.aborted) break;
        chunks.put(missing, window);
        tell({});
      }
    } catch (error) {
      fail(error, signal);
    } finally {
      if (pumping === signal) pumping = undefined;
    }
    if (!signal.aborted && isOld && state.error === undefined) void pump(signal);
  }

  /** Finds matching ids. Shows them incrementally the first time, and all at once later. */
  async function search(signal: AbortSignal): Promise<void> {
    const isFirst = state.phase === 'loading';
    const ids: string[] = [];
    let toldAt = 0;
    const onProgress = ({ seen }: { seen: number }) => {
      const now = performance.now();
      if (signal.aborted || now - toldAt < TOLD_EACH_MS) return;
      toldAt = now;
      tell({ looked: seen }, false);
    };
    const options = { filter: query.filter, sort: query.sort, descending: query.descending };
    for await (const part of rows.find({ ...options, signal, onProgress })) {
      for (const id of part) ids.push(id);
      if (!isFirst) continue;
      found = ids;
      isOld ||= state.phase === 'loading';
      if (state.phase === 'there') tell({ count: found.length });
      void pump(signal);
    }
    if (signal.aborted) return;
    found = ids;
    isOld = true;
    tell({ looked: undefined }, false);
    await pump(signal);
  }

  /** Searches again after changes, with a pause between searches. */
  function followSearch(signal: AbortSignal): () => void {
    let again: ReturnType<typeof setTimeout> | undefined;
    let isSearching = false;
    let isStale = false;
    const run = async () => {
      again = undefined;
      isSearching = true;
      isStale = false;
      const began = performance.now();
      await search(signal).catch((error: unknown) => fail(error, signal));
      isSearching = false;
      const tookMs = performance.now() - began;
      if (isStale && !signal.aborted) again = setTimeout(() => void run(), Math.max(SEARCH_PAUSE_MS, tookMs));
    };
    signal.addEventListener('abort', () => clearTimeout(again));
    void run();
    return () => {
      isStale = true;
      if (!isSearching) again ??= setTimeout(() => void run(), SEARCH_PAUSE_MS);
    };
  }

  function start(): void {
    ended = new AbortController();
    const { signal } = ended;
    isOld = true;
    const searchAgain = isFound ? followSearch(signal) : undefined;
    const stop = database.subscribe(() => {
      isOld = true;
      searchAgain?.();
      if (!isFound || state.phase === 'there') void pump(signal);
    });
    signal.addEventListener('abort', stop);
    if (!isFound) void pump(signal);
  }

  return {
    subscribe: (listener) => {
      const own = () => listener();
      listeners.add(own);
      if (listeners.size === 1) start();
      return () => {
        if (listeners.delete(own) && listeners.size === 0) ended.abort();
      };
    },
    current: () => state,
    rowAt: chunks.rowAt,
    indexOf: chunks.indexOf,
    show: (from, to, fields) => {
      view = { from, to: Math.max(from, to), fields };
      if (state.phase === 'there') void pump(ended.signal);
    },
    toSend: (count) => {
      if (count === unsent) return;
      unsent = count;
      isOld = true;
      if (state.phase === 'there') void pump(ended.signal);
    },
    ids: (signal) =>
      rows.find({ filter: query.filter, sort: query.sort, descending: query.descending, signal }),
  };
}

/** Returns fields in the column order of all documents. */
function fieldsByUse({ fields, rows }: RowWindow): readonly string[] {
  const uses = fields.map((field, at) => ({
    field,
    documents: rows.filter(({ cells }) => cells[at] !== undefined).length,
  }));
  return uses.sort(byUse).map(({ field }) => field);
}

/** Returns the found ids without those missing from their window: they were deleted. */
function withoutGone(
  found: readonly string[],
  from: number,
  to: number,
  { rows }: RowWindow,
): readonly string[] {
  const asked = found.slice(from, to);
  if (asked.length === rows.length) return found;
  return [...found.slice(0, from), ...rows.map(({ id }) => id), ...found.slice(to)];
}
