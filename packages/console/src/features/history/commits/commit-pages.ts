/**
 * Reads a database's commits in pages, newest first. After a change, reads the new commits, and
 * only those older ones that may have changed.
 */
import type { CommitEvent, Database } from 'fixpoint';

export const PAGE = 200;

export interface Commits {
  /** Newest first. */
  readonly rows: readonly CommitEvent[];
  /** Whether `rows` contains all commits. */
  readonly isAll: boolean;
  /** The head of the database, or an older head. `rows` always includes its events. */
  readonly head: readonly string[];
}

export const NO_COMMITS: Commits = { rows: [], isAll: false, head: [] };

type Source = Pick<Database, 'events' | 'head'>;

/** Reads one more page. @throws FixpointError; the reason of the signal */
export async function withMore(database: Source, known: Commits, signal: AbortSignal): Promise<Commits> {
  const after = known.rows.at(-1)?.event;
  const page = await database.events({ limit: PAGE, after, signal });
  return { ...known, rows: [...known.rows, ...page], isAll: page.length < PAGE };
}

/**
 * Reads the current commits: at least as many as were known, if that many exist.
 * @throws FixpointError; the reason of the signal
 */
export async function refreshed(database: Source, known: Commits, signal: AbortSignal): Promise<Commits> {
  // Read the head first, so that the commits include it.
  const head = await database.head();
  const places = new Map(known.rows.map(({ event }, at) => [event, at]));
  const rows: CommitEvent[] = [];
  for (;;) {
    const page = await database.events({ limit: PAGE, after: rows.at(-1)?.event, signal });
    for (const row of page) rows.push(row);
    if (page.length < PAGE) return { rows, isAll: true, head };
    const last = places.get(rows.at(-1)?.event ?? '');
    if (last !== undefined && isRestKnown(rows, known.rows, last, head))
      return { rows: [...rows, ...known.rows.slice(last + 1)], isAll: known.isAll, head };
    if (rows.length >= known.rows.length) return { rows, isAll: false, head };
  }
}

/**
 * Returns whether the known commits after `last` are still current. Events and their order never
 * change, so no commit is missing there if every parent of the new events is in one of the two
 * lists. An unsent commit isn't current, because it may have been sent since.
 */
function isRestKnown(
  read: readonly CommitEvent[],
  known: readonly CommitEvent[],
  last: number,
  head: readonly string[],
): boolean {
  const old = new Set(known.map(({ event }) => event));
  const all = new Set([...old, ...read.map(({ event }) => event)]);
  if (!head.every((event) => all.has(event))) return false;
  const fresh = read.filter(({ event }) => !old.has(event));
  if (!fresh.every(({ parents }) => parents.every((parent) => all.has(parent)))) return false;
  return known.slice(last + 1).every(({ state, isDropped }) => state === 'sent' || isDropped === true);
}
