/**
 * Provides the rows of a table for a database of any size. Loads only the rows around the view, and
 * reads them again when the database changes. Without a filter or sort field, rows are read by
 * their position. Otherwise a search finds the matching ids first, and runs again after changes.
 */
import type { Database, Where } from 'fixpoint';
import type { Rows, RowWindow, TextSearch } from 'fixpoint/rows';
import { type FieldPlaces, fieldsByUse } from './columns.ts';
import { type Chunks, createChunks, type TableRow } from './row-chunks.ts';
import { idsAfter, shownIds } from './shown-ids.ts';

export type { TableRow } from './row-chunks.ts';

/** Selects the documents of a table, and their order. */
export interface RowsQuery {
  readonly where?: Where | undefined;
  readonly texts?: readonly TextSearch[] | undefined;
  /** A field; without one, rows are sorted by id. */
  readonly sort?: string | undefined;
  readonly descending: boolean;
}

export interface RowsState {
  readonly phase: 'loading' | 'there' | 'failed';
  /** Number of rows; while a database is counted, the number known so far. */
  readonly count: number;
  readonly isCounted: boolean;
  /** Fields of the first rows, which are the only known columns until all documents are counted. */
  readonly fields: readonly string[];
  /**
   * `first`: a search runs, and `count` is the number found so far. `again`: documents changed, and
   * a search checks whether the rows are still right.
   */
  readonly searching: 'first' | 'again' | undefined;
  /** Documents scanned by the running or last search. */
  readonly looked: number;
  /** How long the last search took. */
  readonly tookMs: number | undefined;
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
   * Sets the number of unsent changes. While it isn't 0, rows show whether their documents are
   * unsent, and are read again when the number changes.
   */
  toSend(count: number): void;
  /**
   * Returns the ids of rows by position; fewer than `count` at the end.
   * @throws FixpointError; an Error with a text for users while the rows aren't known
   */
  idsAt(from: number, count: number): Promise<readonly string[]>;
  /** Returns the ids of all rows, in order. @throws the reason of the signal */
  ids(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

export type RowsSource = Pick<Rows, 'window' | 'find' | 'count'>;

const CHUNK = 100;
/** Number of rows loaded before and after the view. */
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
  searching: undefined,
  looked: 0,
  tookMs: undefined,
  version: 0,
  error: undefined,
};

/** The state of a table's rows while they are followed. */
interface Feed {
  readonly rows: RowsSource;
  readonly query: RowsQuery;
  readonly places: FieldPlaces;
  /** Whether a filter or a sort field makes a search necessary. */
  readonly isFound: boolean;
  readonly chunks: Chunks;
  readonly listeners: Set<() => void>;
  state: RowsState;
  view: { readonly from: number; readonly to: number; readonly fields: readonly string[] | undefined };
  /** Ids that a search found. */
  found: readonly string[];
  /** Whether these are all ids. */
  isComplete: boolean;
  /** Ends the reads of the current run, which lasts while there are subscribers. */
  ended: AbortController;
  /** Whether the database changed since the view was read. */
  isOld: boolean;
  /** Number of changes that wait to be sent. */
  unsent: number;
  /** The run whose rows are being loaded; undefined when nothing is missing. */
  pumping: AbortSignal | undefined;
}

/**
 * Follows the database while there are subscribers.
 * @param places where imported files have the fields, for the first order of the columns
 */
export function liveRows(
  rows: RowsSource,
  database: Pick<Database, 'subscribe'>,
  query: RowsQuery,
  places: FieldPlaces = new Map(),
): LiveRows {
  const feed = createFeed(rows, query, places);
  const { chunks, listeners } = feed;
  return {
    subscribe: (listener) => {
      const own = () => listener();
      listeners.add(own);
      if (listeners.size === 1) start(feed, database);
      return () => {
        if (listeners.delete(own) && listeners.size === 0) feed.ended.abort();
      };
    },
    current: () => feed.state,
    rowAt: chunks.rowAt,
    indexOf: chunks.indexOf,
    show: (from, to, fields) => {
      feed.view = { from, to: Math.max(from, to), fields };
      if (feed.state.phase === 'there') void pump(feed, feed.ended.signal);
    },
    toSend: (count) => {
      if (count === feed.unsent) return;
      feed.unsent = count;
      feed.isOld = true;
      if (feed.state.phase === 'there') void pump(feed, feed.ended.signal);
    },
    idsAt: (from, count) => idsAt(feed, from, count),
    ids: (signal) => rows.find({ ...searchOf(query), signal }),
  };
}

const createFeed = (rows: RowsSource, query: RowsQuery, places: FieldPlaces): Feed => ({
  rows,
  query,
  places,
  isFound: query.where !== undefined || query.texts !== undefined || query.sort !== undefined,
  chunks: createChunks(CHUNK),
  listeners: new Set(),
  state: NOTHING,
  isComplete: false,
  view: { from: 0, to: CHUNK - 1, fields: undefined },
  found: [],
  ended: new AbortController(),
  isOld: true,
  unsent: 0,
  pumping: undefined,
});

const searchOf = ({ where, texts, sort, descending }: RowsQuery) => ({ where, texts, sort, descending });

function start(feed: Feed, database: Pick<Database, 'subscribe'>): void {
  feed.ended = new AbortController();
  const { signal } = feed.ended;
  feed.isOld = true;
  const searchAgain = feed.isFound ? followSearch(feed, signal) : undefined;
  const stop = database.subscribe(() => {
    feed.isOld = true;
    searchAgain?.();
    if (!feed.isFound || feed.state.phase === 'there') void pump(feed, signal);
  });
  signal.addEventListener('abort', stop);
  if (!feed.isFound) void pump(feed, signal);
}

function tell(feed: Feed, next: Partial<RowsState>, areRowsNew = true): void {
  feed.state = { ...feed.state, ...next, version: feed.state.version + (areRowsNew ? 1 : 0) };
  for (const listener of [...feed.listeners]) listener();
}

/** Reports an error; rows that are already shown stay. */
function fail(feed: Feed, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  tell(
    feed,
    { phase: feed.state.phase === 'there' ? 'there' : 'failed', searching: undefined, error },
    false,
  );
}

/** Loads missing rows chunk by chunk. If the database changed, reads the view again first. */
async function pump(feed: Feed, signal: AbortSignal): Promise<void> {
  if (feed.pumping === signal) return;
  feed.pumping = signal;
  try {
    while (!signal.aborted) {
      if (feed.isOld) {
        await refresh(feed, signal);
        await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
        continue;
      }
      const missing = nextMissing(feed);
      if (missing === undefined) break;
      const asked = askedIn(feed, missing, missing + CHUNK);
      const window = await readRows(feed, missing, missing + CHUNK);
      if (signal.aborted) break;
      feed.chunks.put(missing, window, asked);
      tell(feed, {});
    }
  } catch (error) {
    fail(feed, error, signal);
  } finally {
    if (feed.pumping === signal) feed.pumping = undefined;
  }
  if (!signal.aborted && feed.isOld && feed.state.error === undefined) void pump(feed, signal);
}

/** Returns the next missing chunk: first in the view, then before and after it. */
function nextMissing({ view, state, chunks }: Feed): number | undefined {
  const { from, to, fields = [] } = view;
  const last = state.count - 1;
  return (
    chunks.missing(from, Math.min(to, last), fields) ??
    chunks.missing(Math.max(0, from - AHEAD), Math.min(to + AHEAD, last), fields)
  );
}

/** Returns how many rows {@link readRows} asks for. */
const askedIn = ({ isFound, found }: Feed, from: number, to: number): number =>
  (isFound ? Math.min(to, found.length) : to) - from;

/** Reads rows of whole chunks. */
function readRows({ rows, query, isFound, found, view, unsent }: Feed, from: number, to: number) {
  const limit = to - from;
  const parts = { ...(view.fields && { fields: view.fields }), ...(unsent > 0 && { unsent: true }) };
  return isFound
    ? rows.window({ ids: found.slice(from, to), limit, ...parts })
    : rows.window({ offset: from, limit, ...orderOf(query), ...parts });
}

async function idsAt(feed: Feed, from: number, count: number): Promise<readonly string[]> {
  const { rows, query, isFound, chunks, state } = feed;
  if (state.searching === 'first') throw new Error('the search is still running. Try again when it is done.');
  const after = async (id: string, limit: number) => {
    if (isFound) return idsAfter(feed.found, id, limit);
    const window = await rows.window({ after: id, limit, fields: [], ...orderOf(query) });
    return window.rows.map((row) => row.id);
  };
  const known = state.isCounted ? Math.min(count, Math.max(1, state.count - from)) : count;
  return shownIds({ rowAt: chunks.rowAt, after }, from, known);
}

const orderOf = ({ descending }: RowsQuery) => (descending ? { descending: true } : {});

/** Reads the view again; drops the previous rows only when the new ones are loaded. */
async function refresh(feed: Feed, signal: AbortSignal): Promise<void> {
  feed.isOld = false;
  const asked = feed.view;
  const from = await placeOfView(feed);
  const to = from + asked.to - asked.from;
  const [first, last] = [Math.floor(from / CHUNK) * CHUNK, Math.ceil((to + 1) / CHUNK) * CHUNK];
  const [readAsked, read] = [askedIn(feed, first, last), feed.found.slice(first, last)];
  const window = await readRows(feed, first, last);
  if (signal.aborted) return;
  if (feed.isFound && feed.isComplete) feed.found = withoutGone(feed.found, first, read, window);
  feed.chunks.replace(first, window, readAsked);
  const fields = feed.state.fields.length > 0 ? feed.state.fields : fieldsByUse(window, feed.places);
  if (feed.view === asked)
    feed.view = { from, to, fields: feed.view.fields ?? fields.slice(0, FIRST_FIELDS) };
  tell(feed, { phase: 'there', error: undefined, fields, ...countIn(feed, first, window) });
  if (window.total !== undefined || feed.isFound) return;
  const count = await feed.rows.count({ signal });
  if (!signal.aborted) tell(feed, { count, isCounted: true });
}

/** Returns the current index of the first row in view. */
async function placeOfView({ view, chunks, isFound, found, rows, query }: Feed): Promise<number> {
  const { from } = view;
  const anchor = from === 0 ? undefined : chunks.rowAt(from);
  if (anchor === undefined) return from;
  if (isFound) {
    const at = found.indexOf(anchor.id);
    return at < 0 ? from : at;
  }
  const [behind, own] = await Promise.all([
    rows.window({ after: anchor.id, limit: 1, fields: [], ...orderOf(query) }),
    rows.window({ ids: [anchor.id], limit: 1, fields: [] }),
  ]);
  const after = behind.at ?? behind.total ?? (await rows.count());
  return Math.max(0, after - own.rows.length);
}

/** Returns the number of rows after a window was read. */
function countIn(
  { isFound, isComplete, found, state }: Feed,
  first: number,
  { total, rows }: RowWindow,
): Pick<RowsState, 'count' | 'isCounted'> {
  if (isFound) return { count: found.length, isCounted: isComplete };
  if (total !== undefined) return { count: total, isCounted: true };
  return { count: Math.max(state.count, first + rows.length), isCounted: false };
}

/** Finds matching ids. Shows them incrementally the first time, and all at once later. */
async function search(feed: Feed, signal: AbortSignal): Promise<void> {
  const isFirst = !feed.isComplete;
  const ids: string[] = [];
  const began = performance.now();
  let toldAt = began;
  let looked = 0;
  /** Tells the progress from time to time. */
  const tellProgress = () => {
    const now = performance.now();
    if (signal.aborted || now - toldAt < TOLD_EACH_MS) return;
    toldAt = now;
    tell(feed, { looked, ...(isFirst && { count: ids.length }) }, false);
    if (isFirst && feed.state.phase === 'there') void pump(feed, signal);
  };
  const onProgress = ({ seen }: { seen: number }) => {
    looked = seen;
    tellProgress();
  };
  tell(feed, { searching: isFirst ? 'first' : 'again', ...(isFirst && { looked: 0, count: 0 }) }, false);
  if (isFirst) feed.found = ids;
  for await (const part of feed.rows.find({ ...searchOf(feed.query), signal, onProgress })) {
    for (const id of part) ids.push(id);
    if (!isFirst) continue;
    if (feed.state.phase === 'there') tellProgress();
    else {
      feed.isOld = true;
      void pump(feed, signal);
    }
  }
  if (signal.aborted) return;
  feed.found = ids;
  feed.isComplete = true;
  feed.isOld = true;
  const tookMs = performance.now() - began;
  const isShown = feed.state.phase === 'there';
  tell(feed, {
    searching: undefined,
    looked,
    tookMs,
    ...(isShown && { count: ids.length, isCounted: true }),
  });
  await pump(feed, signal);
}

/** Searches, and returns a function that schedules another search after a change. */
function followSearch(feed: Feed, signal: AbortSignal): () => void {
  let again: ReturnType<typeof setTimeout> | undefined;
  let isSearching = false;
  let isStale = false;
  const run = async () => {
    again = undefined;
    isSearching = true;
    isStale = false;
    const began = performance.now();
    await search(feed, signal).catch((error: unknown) => fail(feed, error, signal));
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

/**
 * Removes from the found ids those that the window no longer contains, because they were deleted.
 * @param read the ids of the window
 */
function withoutGone(
  found: readonly string[],
  from: number,
  read: readonly string[],
  { rows }: RowWindow,
): readonly string[] {
  if (read.length === rows.length) return found;
  return [...found.slice(0, from), ...rows.map(({ id }) => id), ...found.slice(from + read.length)];
}
