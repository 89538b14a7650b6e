/**
 * The rows of a table over a database of any size: windows of what is in view, read again when the database changes. Without filter and sort a row is known by
 * its position; with them the ids that match are found first, and read again behind the view.
 */
import type { Database } from 'fixpoint';
import { byUse, type Cell, type Filter, type Rows, type RowWindow } from 'fixpoint/rows';
import { createChunks, type TableRow } from './row-chunks.ts';

export type { TableRow } from './row-chunks.ts';

/** Which documents a table shows, and in which order. */
export interface RowsQuery {
  readonly filter?: Filter | undefined;
  /** A field; without, by id. */
  readonly sort?: string | undefined;
  readonly descending: boolean;
}

export interface RowsState {
  readonly phase: 'loading' | 'there' | 'failed';
  /** Rows of the table; of a database that is still counted, those that are known to be there. */
  readonly count: number;
  readonly isCounted: boolean;
  /** Fields of the first rows that were read: what is known of columns until all documents were counted. */
  readonly fields: readonly string[];
  /** How many documents were looked at while matching ones are searched; undefined when none are. */
  readonly looked: number | undefined;
  /** Another number whenever a row, or its place, is another one. */
  readonly version: number;
  readonly error: unknown;
}

export interface LiveRows {
  subscribe(listener: () => void): () => void;
  current(): RowsState;
  rowAt(at: number): TableRow | undefined;
  /** The place of a row that is loaded. */
  indexOf(id: string): number | undefined;
  /** Which rows and fields are in view: they are loaded, and kept as they are in the database. */
  show(from: number, to: number, fields: readonly string[]): void;
  /** How much waits to be sent. While something does, rows say whether they are of it; they are read anew when it is another number. */
  toSend(count: number): void;
  /** Ids of all rows, in their order. @throws the reason of the signal */
  ids(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

export type RowsSource = Pick<Rows, 'window' | 'find' | 'count'>;

const CHUNK = 100;
/** So many rows beyond what is in view are loaded, too. */
const AHEAD = 60;
const FIRST_FIELDS = 40;
/** So long after a change matching documents are searched again, and longer where that takes long. */
const SEARCH_PAUSE_MS = 250;
const FRAME_MS = 16;
/** How far a search is, is told at most so often: drawing it takes time from the search. */
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

/** Follows the database while somebody listens. */
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
  /** What a search found. */
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

  /** Rows of whole chunks. */
  const read = (from: number, to: number): Promise<RowWindow> => {
    const limit = to - from;
    return isFound
      ? rows.window({ ids: found.slice(from, to), limit, ...partsOf() })
      : rows.window({ offset: from, limit, ...order, ...partsOf() });
  };

  /** Where the first row in view is now. */
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

  /** Reads what is in view anew; what was read before is forgotten only when that is here. */
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

  /** What is in view, and then what somebody who scrolls on will see next. */
  function nextMissing(): number | undefined {
    const { from, to, fields = [] } = view;
    const last = state.count - 1;
    return (
      chunks.missing(from, Math.min(to, last), fields) ??
      chunks.missing(Math.max(0, from - AHEAD), Math.min(to + AHEAD, last), fields)
    );
  }

  /** Loads what is in view and not there, one chunk after another; what changed first. */
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

  /** Ids of what matches. The first time they are shown as they come; later when all are known. */
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

  /** Searches again after changes, and never without a pause. */
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

/** In the order in which the columns of all documents are shown. */
function fieldsByUse({ fields, rows }: RowWindow): readonly string[] {
  const uses = fields.map((field, at) => ({
    field,
    documents: rows.filter(({ cells }) => cells[at] !== undefined).length,
  }));
  return uses.sort(byUse).map(({ field }) => field);
}

/** The found ids without those that a window of them did not give: they are deleted. */
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
