/** The commits of a database, read in pages from the newest on. After a change those that are new are read, and of the others no more than what may be another one now. */
import type { CommitEvent, Database } from 'fixpoint';

export const PAGE = 200;

export interface Commits {
  /** The newest first. */
  readonly rows: readonly CommitEvent[];
  /** Whether there are no more. */
  readonly isAll: boolean;
  /** The head of the database, or an older one: none that these commits do not know. */
  readonly head: readonly string[];
}

export const NO_COMMITS: Commits = { rows: [], isAll: false, head: [] };

type Source = Pick<Database, 'events' | 'head' | 'ready'>;

/** One page more. @throws FixpointError; the reason of the signal */
export async function withMore(database: Source, known: Commits, signal: AbortSignal): Promise<Commits> {
  const after = known.rows.at(-1)?.event;
  const page = await database.events({ limit: PAGE, after, signal });
  return { ...known, rows: [...known.rows, ...page], isAll: page.length < PAGE };
}

/** As they are now: at least as many as were known. @throws FixpointError; the reason of the signal */
export async function refreshed(database: Source, known: Commits, signal: AbortSignal): Promise<Commits> {
  await database.ready();
  // Before they are read, so that it is none that they do not know.
  const { head } = database;
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
 * Whether what was known behind `last` is what stands there now. An event never changes, nor does its place among those that it was listed with: so there is
 * nothing new among them when nothing that was read leads to an event that is in neither list. And what was sent since is among those that were read.
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
